-- What the labs of labs/ say about themselves, for the chapters that end with
-- them and for slides. tools/labs/format.lua checks the rest.
local files = require 'common.files'
local kernels = require 'code.kernels'
local report = require 'common.report'
local labs = {}
local all
local shown = {}

-- 2 before 2b before 10
local function order(one, other)
  if one.number ~= other.number then return one.number < other.number end
  return one.name < other.name
end

local function read_all()
  all = {}
  for _, path in ipairs(files.matching('(labs/[^/]+/[^/]+%.lab)')) do
    local text = '\n' .. files.text(path)
    local lab = { path = path, name = path:match('([^/]+)%.lab$') }
    lab.number = tonumber(lab.name:match('%d+')) or -1
    for _, key in ipairs { 'title', 'minutes', 'trains', 'chapter' } do
      lab[key] = text:match('\n' .. key .. ': *([^\n]+)')
      if not lab[key] then
        report.line(path, 1, 'a lab that no chapter can name: it has no line '
          .. '"%s"', key)
        lab.incomplete = true
      end
    end
    lab.stage = text:match('\nstage: *(%S+)')
    lab.empties = text:match('\nempties: *([^\n]*)') or ''
    if not lab.incomplete then all[#all + 1] = lab end
  end
  table.sort(all, order)
end

-- Those of a chapter, by its id, in their order.
function labs.of(id)
  if not all then read_all() end
  local list = {}
  for _, lab in ipairs(all) do
    if lab.chapter == id then
      shown[lab.path] = true
      list[#list + 1] = lab
    end
  end
  return list
end

-- Those whose task is to write this region of this file.
function labs.asking(file, region)
  if not all then read_all() end
  local list = {}
  for _, lab in ipairs(all) do
    if lab.stage and file == kernels.path(lab.stage) and
        (' ' .. lab.empties .. ' '):find(' ' .. region .. ' ', 1, true) then
      list[#list + 1] = lab
    end
  end
  return list
end

-- Each lab stands at the end of some chapter.
function labs.check()
  if not all then read_all() end
  for _, lab in ipairs(all) do
    if not shown[lab.path] then
      report.line(lab.path, files.line_of(lab.path, 'chapter:'),
        'the chapter "%s" has no list of labs', lab.chapter)
    end
  end
end

return labs
