-- Source lines to coloured HTML, one string a line. The page numbers them
-- itself: pandoc counts on by one, and a hidden marker would put it off.
local format = require 'format'
local highlight = {}
local options

function highlight.lines(language, texts)
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
  return result
end

return highlight
