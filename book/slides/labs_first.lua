-- A lab comes before its answer: code of a region that a lab empties stands
-- behind a slide whose notes send the class to that lab.
local labs = require 'data.labs'
local report = require 'common.report'
local labs_first = {}
local begun = {}

-- The notes of a slide, which may end with a lab
function labs_first.begin(notes)
  for lab in (notes:match('Lab%.(.*)$') or ''):gmatch('make (lab%w+)') do
    begun[lab] = true
  end
end

-- A block of code that a slide shows
function labs_first.check(block, context)
  local file, region = block.attributes.file, block.attributes.region
  for _, lab in ipairs(file and region and labs.asking(file, region) or {}) do
    if not begun[lab.name] then
      report.at(context, '%s asks for "%s": show it behind a slide whose '
        .. 'notes say "**Lab.** `make %s`"', lab.name, region, lab.name)
    end
  end
end

return labs_first
