-- What the labs of labs/ say about themselves, for the chapters that end with
-- them and for slides. tools/labs checks the rest.
local files = require 'common.files'
local kernels = require 'data.kernels'
local report = require 'common.report'
local labs = {}
local all

-- In their order: 2 before 2b before 10.
local function each_lab()
  if all then return ipairs(all) end
  all = {}
  for _, path in ipairs(files.matching('(labs/[^/]+/[^/]+%.lab)')) do
    local name = path:match('([^/]+)%.lab$')
    local lab = { path = path, name = name,
      order = string.format('%9d%s', name:match('%d+') or -1, name) }
    for key, value in ('\n' .. files.text(path)):gmatch
        '%f[^\n](%l+): *([^\n]*)' do
      lab[key] = lab[key] or value
    end
    all[#all + 1] = lab
  end
  table.sort(all, function(a, b) return a.order < b.order end)
  return ipairs(all)
end

-- Those of a chapter, by its id.
function labs.of(id)
  local list = {}
  for _, lab in each_lab() do
    if lab.chapter == id then
      lab.shown = true
      list[#list + 1] = lab
    end
  end
  return list
end

-- Those whose task is to write this region of this file.
function labs.asking(file, region)
  local list = {}
  for _, lab in each_lab() do
    local empties = ' ' .. (lab.empties or '') .. ' '
    if lab.stage and file == kernels.path(lab.stage:match '%S*') and
        empties:find(' ' .. region .. ' ', 1, true) then
      list[#list + 1] = lab
    end
  end
  return list
end

-- Each lab stands at the end of some chapter.
function labs.check()
  for _, lab in each_lab() do
    if not lab.shown then
      report.line(lab.path, files.line_of(lab.path, 'chapter:'),
        'the chapter "%s" has no list of labs', lab.chapter)
    end
  end
end

return labs
