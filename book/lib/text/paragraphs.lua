-- A paragraph under work: its inlines, and what a reader reads, with the line
-- of each piece, in which figures typed by hand are looked for.
local labels = require 'text.labels'
local report = require 'common.report'
local typed = require 'text.typed_figures'
-- cited[id][page] = true for the sources
local paragraphs = { cited = {} }

-- out: the inlines; word: text that is not yet among them; prose: what is read;
-- starts: {position in the prose, line} where a line's first piece begins.
function paragraphs.new()
  return { out = pandoc.List {}, word = '', prose = {}, length = 0, starts = {},
           sourced = false }
end

function paragraphs.add_prose(paragraph, text, context)
  local starts = paragraph.starts
  if #starts == 0 or starts[#starts][2] ~= context.line then
    starts[#starts + 1] = { paragraph.length, context.line }
  end
  paragraph.prose[#paragraph.prose + 1] = text
  paragraph.length = paragraph.length + #text
end

function paragraphs.put(paragraph, inline) paragraph.out:insert(inline) end

-- Attributes that remember where a link was written.
function paragraphs.link_attr(class, context)
  return pandoc.Attr('', { class },
    { file = context.file, line = tostring(context.line) })
end

local function reference(paragraph, id, context)
  local kind = labels.kind(id)
  if not labels.is_kind(kind or '') then
    return report.at(context, '"@%s" is no kind of reference', id)
  end
  if kind == 'src' then
    paragraph.sourced = true
    paragraphs.cited[id] = paragraphs.cited[id] or {}
    paragraphs.cited[id][context.page] = true
  end
  paragraphs.put(paragraph, pandoc.Link({ pandoc.Str('@' .. id) }, '#' .. id,
    '', paragraphs.link_attr('xref', context)))
end

-- Puts out the word so far, with "@fig-x" in it made references.
function paragraphs.flush(paragraph, context)
  local word = paragraph.word
  paragraph.word = ''
  while word ~= '' do
    local before, id, after = word:match('^(.-)@(%l+%-[%w%-]*%w)(.*)$')
    if not before or before:find('%w$') then
      paragraphs.put(paragraph, pandoc.Str(word))
      return
    end
    if before ~= '' then paragraphs.put(paragraph, pandoc.Str(before)) end
    reference(paragraph, id, context)
    word = after
  end
end

local function line_at(paragraph, position)
  local line
  for _, start in ipairs(paragraph.starts) do
    if start[1] >= position then break end
    line = start[2]
  end
  return line
end

-- Reports what the text must not hold.
function paragraphs.check(paragraph, context)
  local prose = table.concat(paragraph.prose)
  local tex = prose:find('%$%$') or prose:find('\\%a')
  if tex then
    report.line(context.file, line_at(paragraph, tex),
      'this TeX is not read as a formula: are its braces and $ paired?')
  end
  typed.find(prose, function(position, figure)
    report.line(context.file, line_at(paragraph, position),
      typed.MESSAGE, figure)
  end)
  if paragraph.cited and not paragraph.sourced then
    report.line(context.file, paragraph.cited,
      'a cited figure, but no source in this paragraph')
  end
end

return paragraphs
