-- A lab comes before its answer: code of a region that a lab empties stands
-- behind a slide whose notes send the class to that lab.
local files = require 'common.files'
local report = require 'common.report'
local labs_first = {}
local labs_of  -- of a file and a region, the labs that empty it
local begun = {}

local function read_all()
  labs_of = {}
  for _, path in ipairs(files.matching('(labs/[^/]+/[^/]+%.lab)')) do
    local text = '\n' .. files.text(path)
    local stage = text:match('\nstage: *(%S+)') or ''
    local empties = text:match('\nempties: *([^\n]*)') or ''
    for region in empties:gmatch('%S+') do
      local place = stage .. '/kernel.cu ' .. region
      labs_of[place] = labs_of[place] or {}
      table.insert(labs_of[place], path:match('([^/]+)%.lab$'))
    end
  end
end

-- The notes of a slide, which may end with a lab
function labs_first.begin(notes)
  for lab in (notes:match('Lab%.(.*)$') or ''):gmatch('make (lab%w+)') do
    begun[lab] = true
  end
end

-- A block of code that a slide shows
function labs_first.check(block, context)
  if not labs_of then read_all() end
  local file, region = block.attributes.file, block.attributes.region
  for _, lab in ipairs(labs_of[(file or '') .. ' ' .. (region or '')] or {}) do
    if not begun[lab] then
      report.at(context, '%s asks for "%s": show it behind a slide whose '
        .. 'notes say "**Lab.** `make %s`"', lab, region, lab)
    end
  end
end

return labs_first
