-- All formulas of the book to HTML, by one KaTeX process.
local report = require 'report'
local formulas = {}

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(char)
    return string.format('\\u%04x', char:byte())
  end) .. '"'
end

-- The HTML of each formula of a list ({tex, display, where}).
function formulas.html(list, script)
  if #list == 0 then return {} end
  local parts, html = {}, {}
  for index, formula in ipairs(list) do
    parts[index] = string.format('{"tex":%s,"display":%s}',
      quoted(formula.tex), formula.display)
  end
  local output = pandoc.pipe('node', { script },
    '[' .. table.concat(parts, ',') .. ']')
  for status, text in output:gmatch('([+-])([^%z]*)%z') do
    html[#html + 1] = text
    if status == '-' then
      local where = list[#html].where
      report.at(where, 'formula: %s', (text:gsub('%s+', ' ')))
    end
  end
  return html
end

return formulas
