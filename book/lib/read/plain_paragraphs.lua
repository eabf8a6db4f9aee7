-- Paragraphs of words, spaces and code alone. Most are, and to take one to
-- pieces takes long; so that is done once, where a chapter's text is read, and
-- what came of it is kept: a div around the finished paragraph, with what is
-- read in it and the line of each piece.
local plain_paragraphs = {}

local SPACES = { Space = true, SoftBreak = true, LineBreak = true }

local function note_line(work, attributes)
  work.line = (attributes['data-pos'] or ''):match('^%D*(%d+)') or work.line
end

local function flush(work)
  if work.word ~= '' then work.out:insert(pandoc.Str(work.word)) end
  work.word = ''
end

local function say(work, text)
  if work.said_in ~= work.line then
    table.insert(work.starts, work.length .. ':' .. work.line)
    work.said_in = work.line
  end
  table.insert(work.prose, text)
  work.length = work.length + #text
end

-- Whether the inlines are no more than words; work takes them up.
local function take(work, list)
  for _, element in ipairs(list) do
    local kind = element.t
    if kind == 'Span' and element.identifier == '' and
        #element.classes == 0 then
      note_line(work, element.attributes)
      if not take(work, element.content) then return false end
    elseif kind == 'Str' and not element.text:find('@', 1, true) then
      work.word = work.word .. element.text
      say(work, element.text)
    elseif kind == 'Code' then
      flush(work)
      note_line(work, element.attributes)
      work.out:insert(pandoc.Code(element.text))
      say(work, '\1')
    elseif SPACES[kind] then
      flush(work)
      work.out:insert(kind == 'SoftBreak' and pandoc.Space() or element)
      say(work, ' ')
    else
      return false
    end
  end
  return true
end

-- In place of a block of inlines the div, where it is plain, or nil. What
-- begins with a colon may be a table's caption.
function plain_paragraphs.kept(block)
  local work = { out = pandoc.List {}, word = '', prose = {}, length = 0,
    starts = {}, line = '' }
  if not take(work, block.content) then return nil end
  flush(work)
  local prose = table.concat(work.prose)
  if prose == '' or prose:find('^:') then return nil end
  block.content = work.out
  return pandoc.Div({ block }, pandoc.Attr('', {}, { prose = prose,
    starts = table.concat(work.starts, ' '), last = work.line }))
end

-- Of such a div's attributes what paragraphs.lua makes of other paragraphs.
-- Moves context.line to the end.
function plain_paragraphs.paragraph(attributes, context)
  local paragraph = { prose = { attributes.prose }, starts = {} }
  for at, line in attributes.starts:gmatch('(%d+):(%d*)') do
    line = context.fixed_line or tonumber(line) or context.line
    local last = paragraph.starts[#paragraph.starts]
    if not last or last[2] ~= line then
      table.insert(paragraph.starts, { tonumber(at), line })
    end
  end
  context.line = context.fixed_line or tonumber(attributes.last)
    or context.line
  return paragraph
end

return plain_paragraphs
