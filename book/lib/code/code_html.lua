-- Lines of code as HTML, coloured by pandoc. The style draws numbers and signs;
-- the EPUB has them as text. And the difference of two lists of lines: what
-- goes, what comes, and a little of what stays around it.
local files = require 'common.files'
local format = require 'common.format'
local code_html = {}

local SIGNS = { [' '] = { '', ' ' }, ['-'] = { ' removed', '\u{2212}' },
                ['+'] = { ' added', '+' } }

-- html: of the line itself; class: more of them, each behind a blank.
function code_html.line(number, sign, html, class)
  local of_sign, shown = table.unpack(SIGNS[sign] or { '' })
  return string.format('<span class="line%s%s" data-n="%s"%s>%s</span>',
    of_sign, class or '', number,
    shown and ' data-sign="' .. shown .. '"' or '', html)
end

-- In place of lines that are not shown; words may say what they are.
function code_html.gap(words)
  return string.format('<span class="line gap" data-n="">\u{22ef}%s</span>',
    words and ' ' .. format.escape(words) or '')
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

-- By git's patience, as `make diff-stageN` shows differences.
local COMPARE = { 'diff', '--no-index', '--no-ext-diff', '--no-textconv',
  '--text', '--no-color', '--patience', '--indent-heuristic',
  '--unified=999999' }

-- The signs of the steps that lead from a text to another: ' ' for what stays,
-- '-' and '+'; what goes comes before what takes its place.
local function signs_of(old, new)
  if old == new then return (old:gsub('[^\n]*\n', ' ')) end
  local signs = pandoc.system.with_temporary_directory('book', function(folder)
    files.write(folder .. '/old', old)
    files.write(folder .. '/new', new)
    local code, output = pandoc.system.command('git', pandoc.List(COMPARE)
      .. { folder .. '/old', folder .. '/new' })
    assert(code == 1, output)
    return output:match('\n@@ [^\n]*\n(.*)$'):gsub('([^\n])[^\n]*\n', '%1')
  end)
  return signs
end

local function text_of(lines)
  local texts = {}
  for index, line in ipairs(lines) do texts[index] = line.text .. '\n' end
  return table.concat(texts)
end

-- Two lists of lines, each with a text, to a list of {sign, old index, new
-- index}.
function code_html.steps(old, new)
  local before, after = text_of(old), text_of(new)
  local signs = files.answer('difference '
      .. pandoc.utils.sha1(before .. '\f' .. after),
    function() return signs_of(before, after) end)
  local steps, i, j = {}, 0, 0
  for sign in signs:gmatch('.') do
    if sign ~= '+' then i = i + 1 end
    if sign ~= '-' then j = j + 1 end
    steps[#steps + 1] = { sign, sign ~= '+' and i or nil,
                          sign ~= '-' and j or nil }
  end
  return steps
end

-- Which steps to show, those within some lines of a change; nil where there is
-- none.
local function near(steps, context)
  local shown = {}
  for index, step in ipairs(steps) do
    if step[1] ~= ' ' then
      for near = index - context, index + context do shown[near] = true end
    end
  end
  return next(shown) and shown
end

local CONTEXT = 3  -- unchanged lines shown around a change

-- Two lists of lines as one, what goes above what takes its place. Returns
-- {numbers, html}: the numbers of the new lines that are shown; nil where
-- nothing differs.
function code_html.compared(old, new, language)
  local steps = code_html.steps(old, new)
  local shown = near(steps, CONTEXT)
  if not shown then return nil end
  local old_html = code_html.coloured(language, old)
  local new_html = code_html.coloured(language, new)
  local html, numbers = {}, {}
  for index, step in ipairs(steps) do
    local sign, before, after = table.unpack(step, 1, 3)
    if not shown[index] then
      if index == 1 or shown[index - 1] then
        html[#html + 1] = code_html.gap()
      end
    elseif sign == '-' then
      html[#html + 1] = code_html.line('', sign, old_html[before])
    else
      numbers[#numbers + 1] = new[after].number
      html[#html + 1] = code_html.line(new[after].number, sign, new_html[after])
    end
  end
  return { numbers = numbers,
    html = code_html.block('numbered signed', html) }
end

return code_html
