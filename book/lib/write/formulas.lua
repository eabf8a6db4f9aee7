-- All formulas of the book to HTML: those that no earlier build has seen, by
-- one KaTeX process.
local cache = require 'common.cache'
local report = require 'common.report'
local formulas = {}

local function as_json(formula)
  return pandoc.json.encode { tex = formula.tex, display = formula.display }
end

-- The HTML of each formula of a list ({tex, display, where}).
function formulas.html(list, script)
  local html, new, parts = {}, {}, {}
  local function answer(index, find)
    html[index] = cache.answer('formula\n' .. as_json(list[index]), find)
  end
  for index, formula in ipairs(list) do
    answer(index, function()
      new[#new + 1], parts[#parts + 1] = index, as_json(formula)
    end)
  end
  if #new == 0 then return html end
  local output = pandoc.pipe('node', { script },
    '[' .. table.concat(parts, ',') .. ']')
  local count = 0
  for status, text in output:gmatch('([+-])([^%z]*)%z') do
    count = count + 1
    answer(new[count], function() return text end)
    if status == '-' then
      report.at(list[new[count]].where, 'formula: %s',
        (text:gsub('%s+', ' ')))
    end
  end
  return html
end

return formulas
