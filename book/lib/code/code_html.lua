-- Lines of code as HTML. The style draws numbers and signs; the EPUB has them
-- as text.
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

-- The texts of some lines, as highlight.lines wants them.
function code_html.texts(lines)
  local texts = {}
  for index, line in ipairs(lines) do texts[index] = line.text end
  return texts
end

return code_html
