-- Chapters' text by pandoc's reader of CommonMark, with the line of each piece.
local cache = require 'common.cache'
local commonmark = {}

local READER = 'commonmark_x+sourcepos-gfm_auto_identifiers-emoji'
  .. '-implicit_figures'

-- The reader wraps each word and space in a span with its position. To look
-- into a span takes long, so of those that follow one another on a line only
-- the first stays.
local WORDS = { Str = true, Space = true, SoftBreak = true }

local function without_spans(list)
  local last
  for index, element in ipairs(list) do
    local word, line = element.t == 'Span' and element.content[1], nil
    if word and WORDS[word.t] and element.attributes.wrapper and
        element.identifier == '' and #element.classes == 0 then
      line = element.attributes['data-pos']:match('^%D*(%d+)') or ''
      if line == last then list[index] = word end
    end
    last = line
  end
  return list
end

-- The blocks; attributes data-pos say where their parts stand in the text.
function commonmark.read(text)
  local json = cache.answer('read\n' .. text, function()
    return pandoc.write(pandoc.read(text, READER):walk {
      Inlines = without_spans }, 'json')
  end)
  return pandoc.read(json, 'json').blocks
end

-- The inlines of a text of one paragraph; nil where it has none.
function commonmark.inlines(text)
  -- Most captions and cells are words only: starting the reader for each would
  -- take longer than all else about them.
  if text:match('^%a[%w,;:() ]*$') and not text:match('^%w+%)') then
    local list = pandoc.List {}
    for word, space in text:gmatch('([^ ]+)( *)') do
      list:insert(pandoc.Str(word))
      if space ~= '' then list:insert(pandoc.Space()) end
    end
    return list
  end
  local block = commonmark.read(text)[1]
  while block and block.t == 'Div' do block = block.content[1] end
  return block and block.content
end

return commonmark
