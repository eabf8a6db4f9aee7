-- Source lines to coloured HTML, one string a line. The page numbers them
-- itself: pandoc counts on by one, and a hidden marker would put it off.
local files = require 'common.files'
local format = require 'common.format'
local cache = require 'common.cache'
local highlight = {}
local options

local function colour(language, texts)
  local block = pandoc.CodeBlock(table.concat(texts, '\n'),
    pandoc.Attr('', { language }))
  options = options or pandoc.WriterOptions(PANDOC_WRITER_OPTIONS)
  local html = pandoc.write(pandoc.Pandoc { block }, 'html5', options)
  local result = {}
  local body = html:match('<code class="sourceCode[^>]*>(.*)</code></pre>')
  for line in ((body or '') .. '\n'):gmatch('([^\n]*)\n') do
    result[#result + 1] =
      line:match('^<span id="cb[%d-]+"><a [^>]*></a>(.*)</span>$')
  end
  if #result ~= #texts then
    for index, text in ipairs(texts) do result[index] = format.escape(text) end
  end
  -- operators have the text's colour, and are a half of all these spans
  return (table.concat(result, '\n')
    :gsub('<span class="op">([^<]*)</span>', '%1'))
end

function highlight.lines(language, texts)
  local html = cache.answer(language .. '\n' .. table.concat(texts, '\n'),
    function() return colour(language, texts) end)
  return #texts == 0 and {} or files.lines(html .. '\n')
end

return highlight
