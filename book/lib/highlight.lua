-- Source lines to coloured HTML, one string a line. The page numbers them
-- itself: pandoc counts on by one, and a hidden marker would put it off.
-- Colouring takes half of the build's time, so its results are kept in a file.
local files = require 'files'
local format = require 'format'
local highlight = {}
local known, used, options = nil, {}, nil

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
  return table.concat(result, '\n')
end

-- The file holds what goes in and what comes out, each ended by a zero byte.
local function read_known()
  local path = os.getenv('BOOK_COLOURS')
  known = {}
  local text = path and files.text(path) or ''
  for key, html in text:gmatch('([^%z]*)%z([^%z]*)%z') do known[key] = html end
end

function highlight.lines(language, texts)
  if not known then read_known() end
  local key = language .. '\n' .. table.concat(texts, '\n')
  used[key] = used[key] or known[key] or colour(language, texts)
  return #texts == 0 and {} or files.lines(used[key] .. '\n')
end

-- Writes what this build used to a file, for the next.
function highlight.keep(path)
  local keys, parts = {}, {}
  for key in pairs(used) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    parts[#parts + 1] = key .. '\0' .. used[key] .. '\0'
  end
  files.write(path, table.concat(parts))
end

return highlight
