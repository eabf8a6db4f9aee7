-- Reads the slides of workshop/slides, in the order of the files' names:
--   # Part {#ch-x}         from here on slides of the chapter with this id
--   ## Title               a slide: lines, and one thing to show
--   ::: {.notes}           what the teacher says at it
local chapter = require 'read.chapter'
local files = require 'common.files'
local inlines = require 'read.inlines'
local labels = require 'text.labels'
local labs = require 'data.labs'
local page_html = require 'write.page_html'
local report = require 'common.report'
local results = require 'data.results'
local deck = {}
-- What slides take from chapters: by their ids these, and the blocks of their
-- numbered frames.
local chapters, frames = {}, {}
local begun = {}  -- labs that the class has been sent to

-- Of few rows of a table or lines of code each is printed larger.
local FEW_ROWS, LONG_CODE, MIDDLE_CODE, FEW_CODE = 6, 22, 17, 13

local function find_frames(page)
  chapters[page.id or ''] = page
  for index, block in ipairs(page.blocks) do
    local id = block.t == 'RawBlock'
      and block.text:match '^<figure [^>]*id="([^"]*)"'
    if id then frames[id] = { table.unpack(page.blocks, index, index + 4) } end
  end
end

local function raw(html) return pandoc.RawBlock('html', html) end

-- References become the names of what they refer to, for a slide is no page of
-- the book.
local function with_names(blocks)
  return page_html.links(blocks, 'slides', function(link, id)
    if not link.classes:includes 'xref' then return link.content end
    return pandoc.Str(labels.text(id))
  end)
end

-- A numbered frame with its caption below and without its number, which is the
-- chapter's.
local function without_number(frame)
  local kind = frame[1].text:match 'class="(%l+)'
  local caption = frame[2]:walk { Strong = function() return {} end }
  return pandoc.List { raw('<div class="shown ' .. kind .. '">'), frame[4],
    raw '</div>', raw '<p class="from">', caption, raw '</p>' }
end

-- How large it may be printed: "middle", "long" or nil.
local function size_of(block)
  local rows, lines = 0, 0
  pandoc.Blocks({ block }):walk {
    Table = function(found)
      rows = rows + #pandoc.utils.to_simple_table(found).rows
    end,
    RawBlock = function(found)
      lines = lines + select(2, found.text:gsub('<span class="line', ''))
    end }
  return lines > LONG_CODE and 'long full'
    or (lines > MIDDLE_CODE or rows > FEW_ROWS) and 'long'
    or lines > FEW_CODE and 'middle'
end

-- Adds what a slide shows beside its lines.
local function show(blocks, slide)
  slide.shows = true
  for index, block in ipairs(blocks) do
    if block.t == 'RawBlock' and block.text:find '^<figure ' then
      blocks = without_number { table.unpack(blocks, index) }
      break
    end
  end
  for _, block in ipairs(blocks) do
    slide.size = size_of(block) or slide.size
  end
  if blocks[1] and blocks[1].t == 'Table' then
    blocks:insert(1, raw '<div class="shown table">')
    blocks:insert(raw '</div>')
  end
  slide.body:extend(blocks)
end

-- A lab comes before its answer: code of a region that a lab empties stands
-- behind a slide whose notes send the class to that lab.
local function check_answer(shown, context)
  local file, region = shown.file, shown.region
  for _, lab in ipairs(file and region and labs.asking(file, region) or {}) do
    if not begun[lab.name] then
      report.at(context, '%s asks for "%s": show it behind a slide whose '
        .. 'notes say "**Lab.** `make %s`"', lab.name, region, lab.name)
    end
  end
end

local TEXT = { BulletList = true, OrderedList = true, Para = true,
  Plain = true }

local function add_body(block, slide, context)
  local link = block.t == 'Para' and #block.content == 1 and block.content[1]
  local id = link and link.t == 'Link' and link.target:match '^#(.*)$'
  local kind = id and labels.kind(id)
  if kind == 'fig' or kind == 'tbl' then
    local frame = frames[id]
      or report.at(context, 'no chapter has a drawing or table "%s"', id)
    return frame and show(frame, slide)
  end
  if block.t == 'CodeBlock' then check_answer(block.attributes, context) end
  local made = chapter.blocks({ block }, context)
  if TEXT[made[1] and made[1].t or 'Para'] then
    slide.body:extend(made)
  else
    show(made, slide)
  end
end

local function add_notes(block, slide, context)
  slide.notes = chapter.blocks(block.content, context)
  local text = pandoc.utils.stringify(pandoc.Blocks(slide.notes))
  for lab in (text:match('Lab%.(.*)$') or ''):gmatch('make (lab%w+)') do
    begun[lab] = true
  end
end

local function finish(slide)
  if not slide then return end
  if not slide.notes then report.at(slide, 'this slide has no notes') end
  slide.body = with_names(slide.body)
  slide.notes = with_names(slide.notes or {})
end

-- A heading of the first level: the chapter that the slides behind it are of.
local function part_of(block, text, context)
  local found = chapters[block.identifier] or report.at(context,
    'there is no chapter "%s": a part is written "# Title {#ch-name}"',
    block.identifier) or {}
  results.part = found.results
  return { title = text, name = found.id and labels.text(found.id) or '?' }
end

local function read_file(file, list)
  local context = chapter.context(file, 'slides.html')
  context.title, context.number = '', '0'
  local part, slide = { title = '', name = '' }, nil
  for _, wrapped in ipairs(inlines.read(files.text(file))) do
    local block = inlines.unwrapped(wrapped, context)
    if block.t == 'Header' then
      finish(slide)
      slide = nil
      local title = inlines.paragraph(block.content, context)
      local text = pandoc.utils.stringify(title)
      if block.level == 1 then
        part = part_of(block, text, context)
      else
        slide = { title = title, part = part, body = pandoc.List {},
          file = file, line = context.line }
        list[#list + 1] = slide
      end
    elseif slide and block.t == 'Div' and block.classes:includes 'notes' then
      add_notes(block, slide, context)
    elseif slide then
      add_body(block, slide, context)
    else
      report.at(context, 'this stands on no slide')
    end
  end
  finish(slide)
end

-- All slides: {title, part = {title, name}, body, notes}, the first two and the
-- last of inlines and blocks. pages: of the chapters.
function deck.read(pages)
  local list = {}
  for _, page in ipairs(pages) do find_frames(page) end
  for _, file in ipairs(files.matching '(workshop/slides/[^/]*%.md)') do
    read_file(file, list)
  end
  return list
end

return deck
