-- Numbered frames: listings, figures and tables with their captions; and code
-- that has no number.
local drawing = require 'figures.drawing'
local explained_lines = require 'code.explained_lines'
local files = require 'common.files'
local format = require 'common.format'
local inlines = require 'read.inlines'
local kernels = require 'code.kernels'
local labels = require 'text.labels'
local labs = require 'data.labs'
local listing = require 'code.listing'
local report = require 'common.report'
local data_tables = require 'read.data_tables'
local results = require 'data.results'
local frames = {}

local NAMES = { lst = 'Listing', fig = 'Figure', tbl = 'Table' }
local ATTRIBUTES = { file = true, region = true, caption = true, stage = true,
  against = true, alt = true, kind = true, unit = true, fmt = true,
  lines = true, yes = true, no = true, cycles = true, layout = true, set = true,
  whole = true, warps = true }

local function raw(html) return pandoc.RawBlock('html', html) end

-- "2.3": the next of a kind in this chapter.
function frames.next_number(kind, context)
  context.count[kind] = (context.count[kind] or 0) + 1
  return context.number .. '.' .. context.count[kind]
end

-- Gives an element its number and id; an author's id must begin with the kind.
function frames.number(kind, id, context)
  local count = frames.next_number(kind, context)
  labels.check_kind(id, kind, inlines.place(context))
  if id == '' then id = labels.free_id(kind .. '-' .. count:gsub('%.', '-')) end
  labels.define(id, { number = count, page = context.page },
    inlines.place(context))
  return id, count
end

-- Where code comes from; each format makes of data-at what it can.
local function source_html(source)
  return string.format(' <span class="source" data-at="%s#L%d">%s</span>',
    format.escape(source.path), source.numbers[1] or 1,
    format.escape(source.text))
end

-- The place where a listing shows lines of a source; without a caption the
-- heading above says what it is about.
local function remember(source, id, title, words, context)
  local about = pandoc.utils.stringify(pandoc.Plain(words or {}))
  if about == '' then about = context.heading or context.title end
  explained_lines.add(source.path, source.numbers, {
    file = files.chapter(context.file), page = context.page, id = id,
    title = title, about = about })
end

-- attributes: HTML, of the element; words: the caption, as an attribute's text
-- or as inlines; source: where the contents come from; body: a block; stale:
-- whether it shows a stale result.
local function frame(kind, attributes, id, count, words, source, body, context,
    stale)
  if type(words) == 'string' then
    words = inlines.of_attribute(words, context)
  end
  local title = NAMES[kind] .. '\u{a0}' .. count
  local line =
    pandoc.List { pandoc.Strong { pandoc.Str(title) }, pandoc.Space() }
  if stale then line:extend { inlines.stale(), pandoc.Space() } end
  line:extend(words or {})
  local caption = pandoc.List { pandoc.Span(line) }
  if source then
    caption:insert(pandoc.RawInline('html', source_html(source)))
    remember(source, id, title, words, context)
  end
  local open = string.format('<figure %s id="%s">\n<figcaption>', attributes,
    id)
  return { raw(open), pandoc.Plain(caption), raw('</figcaption>'), body,
           raw('</figure>') }
end

local function figure(id, attributes, block, context)
  local count
  id, count = frames.number('fig', id, context)
  results.stale = false
  local svg = drawing.of(block, attributes, id, context)
  local stale = results.stale
  if not svg then return nil end
  local element = 'class="drawing"'
  if block and block.classes[1] == 'widget' then
    element = string.format(
      'class="drawing widget" data-widget="%s" data-start="%s"',
      format.escape(attributes.kind),
      (format.escape(block.text):gsub('\n', '&#10;')))
  end
  return frame('fig', element, id, count, attributes.caption, nil,
    raw('<div class="scroll" tabindex="0">' .. svg .. '</div>'), context,
    stale)
end

-- ![Caption](figures/name.svg){#fig-id alt="..."} alone in its paragraph.
function frames.image(element, context)
  local attributes = inlines.locate(element, context)
  attributes.file = element.src:match('^figures/(.+)$')
  if not attributes.file then
    return report.at(context, 'the image "%s" is not in figures/', element.src)
  end
  if #element.caption > 0 then
    attributes.caption = inlines.paragraph(element.caption, context)
  end
  return figure(element.identifier, attributes, nil, context)
end

-- ": Caption {#tbl-id}" in the paragraph behind a table.
function frames.table_caption(list, context, body)
  local id, content = '', pandoc.List {}
  for _, element in ipairs(list) do
    if element.t == 'Span' and element.identifier ~= '' then
      id = element.identifier
    else
      content:insert(element)
    end
  end
  local words = inlines.paragraph(content, context)
  words[1].text = words[1].text:gsub('^:', '')
  local count
  id, count = frames.number('tbl', id, context)
  return frame('tbl', 'class="table"', id, count, words, nil, body, context)
end

local function table_block(block, attributes, context)
  local id, count = frames.number('tbl', block.identifier, context)
  results.stale = false
  local body = data_tables.of(block, attributes, context)
  local stale = results.stale
  if not body then return nil end
  return frame('tbl', 'class="table"', id, count, attributes.caption, nil,
    body, context, stale)
end

-- The verbs of make: back_matter.lua fills in the table.
local function verbs_block(block, attributes, context)
  local id, count = frames.number('tbl', block.identifier, context)
  return frame('tbl', 'class="table"', id, count, attributes.caption, nil,
    pandoc.Div({}, pandoc.Attr('', { 'verbs' },
      { file = context.file, line = tostring(context.line) })), context)
end

-- The labs of this chapter, from their own files.
local function labs_block(context)
  local items = {}
  for _, lab in ipairs(labs.of(context.id)) do
    items[#items + 1] = { pandoc.Plain { pandoc.Code('make ' .. lab.name),
      pandoc.Str ': ', pandoc.Strong { pandoc.Str(lab.title) },
      pandoc.Str(', ' .. lab.minutes .. ' minutes. It trains ' .. lab.trains ..
        '.') } }
  end
  if #items == 0 then
    return report.at(context, 'no lab of labs/ belongs to this chapter')
  end
  return { pandoc.BulletList(items) }
end

local function output_block(attributes, context)
  if not attributes.file then
    return report.at(context, 'an output block needs file="..."')
  end
  local html = listing.output(attributes, inlines.place(context))
  return html and { raw('<div class="terminal">' .. html .. '</div>') }
end

-- whole="yes" is for a listing of a kernel.
local function check_whole(class, attributes, context)
  if attributes.whole and attributes.whole ~= 'yes' then
    report.at(context, 'there is no whole="%s"', attributes.whole)
  elseif attributes.whole and (class ~= 'cuda' or
      not kernels.stage(attributes.file or '')) then
    report.at(context, 'whole="yes" is for a listing of a kernel')
  end
end

local function listing_block(block, class, attributes, context)
  local html, source
  check_whole(class, attributes, context)
  local layout = attributes.layout
  if layout and (class ~= 'diff' or layout ~= 'beside') then
    return report.at(context, layout == 'beside'
      and 'layout="beside" is for a difference'
      or 'there is no layout "%s"', layout)
  end
  if class == 'diff' then
    if not (attributes.stage and attributes.against) then
      return report.at(context,
        'a difference needs stage="..." and against="..."')
    end
    html, source = listing.difference(attributes, inlines.place(context))
  elseif class == 'arm' then
    if not (attributes.stage and attributes.set) then
      return report.at(context,
        'an arm needs stage="..." and set="NAME=VALUE"')
    end
    html, source = listing.arm(attributes, inlines.place(context))
  elseif attributes.file then
    html, source = listing.source(attributes, class, inlines.place(context))
  else
    return report.at(context, 'code is cut from a source (file="..." '
      .. 'region="..."), or is marked .sketch, or is .sh to be typed')
  end
  local id, count = frames.number('lst', block.identifier, context)
  if not html then return nil end
  return frame('lst', 'class="listing"', id, count, attributes.caption,
    source, raw(html), context)
end

-- A fenced block: listing, difference, arm, drawing, widget, table, output,
-- sketch.
function frames.code_block(block, context)
  local attributes = inlines.locate(block, context)
  for name in pairs(attributes) do
    if not ATTRIBUTES[name] then
      report.at(context, 'there is no attribute "%s"', name)
    end
  end
  local class = block.classes[1] or ''
  local from_file = attributes.file or attributes.stage
  if from_file and block.text:find('%S') then
    report.at(context, 'the block must be empty: its contents come from a file')
  end
  if class == 'table' then return table_block(block, attributes, context) end
  if class == 'verbs' then return verbs_block(block, attributes, context) end
  if class == 'labs' then return labs_block(context) end
  if class == 'figure' or class == 'widget' then
    return figure(block.identifier, attributes, block, context)
  end
  if class == 'output' then return output_block(attributes, context) end
  if block.classes:includes('sketch') or class == 'sh' and not from_file then
    local html = listing.sketch(block.text, class)
    return { raw('<div class="sketch">' .. html .. '</div>') }
  end
  return listing_block(block, class, attributes, context)
end

return frames
