-- Two lists of lines as one listing: what goes, what comes, and a little of
-- what stays around it.
local code_html = require 'code.code_html'
local difference = require 'code.difference'
local highlight = require 'code.highlight'
local side_by_side = require 'code.side_by_side'
local compared = {}

local CONTEXT = 3  -- unchanged lines shown around a change
local NARROW = 50  -- columns of code, of which two fit beside each other on A4
local SHORT = 104  -- columns of both that fit into a window of 80rem

-- What compared.html may show of two lists of lines, with their steps, which of
-- these are shown, and the names of both: each gives the HTML.
local layouts = {}

-- One text, removed lines above those that replace them.
function layouts.one(old, new, language, steps, shown)
  local old_html = highlight.lines(language, code_html.texts(old))
  local new_html = highlight.lines(language, code_html.texts(new))
  local html = {}
  for index, step in ipairs(steps) do
    local sign, before, after = step[1], step[2], step[3]
    if not shown[index] then
      if index == 1 or shown[index - 1] then
        html[#html + 1] = code_html.gap()
      end
    elseif sign == '-' then
      html[#html + 1] = code_html.line('', sign, old_html[before])
    else
      html[#html + 1] = code_html.line(new[after].number, sign, new_html[after])
    end
  end
  return code_html.block('numbered signed', html)
end

-- Two texts. The style decides whether one is beside the other, and only then
-- leaves room for --skip lines that the other has.
function layouts.beside(old, new, language, steps, shown, names)
  local rows, columns = side_by_side.rows(steps, shown), {}
  local longest = { 0, 0 }
  for which, lines in ipairs { old, new } do
    local colours = highlight.lines(language, code_html.texts(lines))
    local html = side_by_side.column(rows, which, function(line, skipped)
      local style = skipped > 0
        and string.format(' style="--skip: %d"', skipped) or ''
      if line == side_by_side.GAP then return code_html.gap(nil, style) end
      local index, sign = table.unpack(line)
      longest[which] = math.max(longest[which], utf8.len(lines[index].text))
      return code_html.line(lines[index].number, sign, colours[index], style)
    end)
    columns[which] = string.format('<div><p class="side"><code>%s</code></p>'
      .. '%s</div>', names[which], code_html.block('numbered signed', html))
  end
  return string.format('<div class="beside%s%s">\n%s\n</div>',
    math.max(longest[1], longest[2]) <= NARROW and ' narrow' or '',
    longest[1] + longest[2] <= SHORT and ' short' or '',
    table.concat(columns, '\n'))
end

-- The numbers of the new lines that are shown, and which signs are.
local function numbers_shown(steps, shown, new)
  local numbers, signs = {}, {}
  for index, step in ipairs(steps) do
    if shown[index] then
      signs[step[1]] = true
      if step[3] then numbers[#numbers + 1] = new[step[3]].number end
    end
  end
  return numbers, signs
end

-- Two lists of lines in a layout, "one" or "beside", with the names of both.
-- Returns {numbers, signs, html()}: the numbers of the new lines that are
-- shown, and a set of the signs that lines have; nil where nothing differs.
function compared.of(old, new, layout, names, language)
  local steps = difference.of(old, new)
  local shown, changed = difference.near(steps, CONTEXT)
  if not changed then return nil end
  local numbers, signs = numbers_shown(steps, shown, new)
  return { numbers = numbers, signs = signs, html = function()
    return layouts[layout](old, new, language, steps, shown, names)
  end }
end

return compared
