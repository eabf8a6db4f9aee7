-- Lines of code as HTML, coloured by pandoc. The style draws numbers and signs;
-- the EPUB has them as text.
local files = require 'common.files'
local format = require 'common.format'
local code_html = {}

local SIGNS = { [' '] = { '', ' ' }, ['-'] = { ' removed', '\u{2212}' },
                ['+'] = { ' added', '+' } }

-- html: of the line itself; class: more of them, each behind a blank.
function code_html.line(number, sign, html, style, class)
  local of_sign, shown = table.unpack(SIGNS[sign] or { '' })
  return string.format('<span class="line%s%s" data-n="%s"%s%s>%s</span>',
    of_sign, class or '', number,
    shown and ' data-sign="' .. shown .. '"' or '', style or '', html)
end

-- In place of lines that are not shown; words may say what they are.
function code_html.gap(words, style)
  return string.format('<span class="line gap" data-n=""%s>\u{22ef}%s</span>',
    style or '', words and ' ' .. format.escape(words) or '')
end

function code_html.plain(html)
  return '<span class="line">' .. html .. '</span>'
end

function code_html.block(class, lines)
  return string.format('<pre class="code %s" tabindex="0"><code>%s</code>'
    .. '</pre>', class, table.concat(lines, '\n'))
end

-- The page numbers lines itself: pandoc counts on by one, and a hidden marker
-- would put it off.
local function colour(language, texts)
  local block = pandoc.CodeBlock(table.concat(texts, '\n'),
    pandoc.Attr('', { language }))
  local html = pandoc.write(pandoc.Pandoc { block }, 'html5',
    pandoc.WriterOptions(PANDOC_WRITER_OPTIONS))
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

-- Texts, or lines with a text, to coloured HTML, one string a line.
function code_html.coloured(language, lines)
  local texts = {}
  for index, line in ipairs(lines) do texts[index] = line.text or line end
  local html = files.answer(language .. '\n' .. table.concat(texts, '\n'),
    function() return colour(language, texts) end)
  return #texts == 0 and {} or files.lines(html .. '\n')
end

return code_html
