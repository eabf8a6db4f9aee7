-- The kernels of the ladder's stages, in their order, and their toggles. A
-- stage with rules of its own, in its stage.mk, is no step of the ladder.
local files = require 'common.files'
local report = require 'common.report'
local kernels = {}
local stages

-- The name of the stage whose kernel this is, or nil.
function kernels.stage(path)
  return path:gsub('^further/', ''):match('^(stage%d+_[%w_]+)/kernel%.cu$')
end

-- Where the files of a stage lie.
function kernels.folder(stage)
  local further = 'further/' .. stage
  return files.exists(further .. '/kernel.cu') and further or stage
end

function kernels.path(stage) return kernels.folder(stage) .. '/kernel.cu' end

-- "stage12", or nil.
function kernels.number(path)
  return tonumber((kernels.stage(path) or ''):match('%d+'))
end

-- The names of all stages, by their numbers.
function kernels.stages()
  if stages then return stages end
  stages = {}
  for _, path in ipairs(files.matching('(.*stage%d+_[%w_]+/kernel%.cu)')) do
    if kernels.stage(path) and
        not files.exists((path:gsub('kernel%.cu$', 'stage.mk'))) then
      table.insert(stages, kernels.stage(path))
    end
  end
  table.sort(stages, function(a, b)
    return tonumber(a:match('%d+')) < tonumber(b:match('%d+'))
  end)
  return stages
end

-- The name of the page with all lines of a source.
function kernels.page(path)
  local number = kernels.number(path)
  return 'source-' .. (number and 'stage' .. number
    or path:gsub('[^%w]+', '-')) .. '.html'
end

-- The kernel of the stage before, or nil.
function kernels.before(path)
  local previous
  for _, stage in ipairs(kernels.stages()) do
    if kernels.path(stage) == path then return previous end
    previous = kernels.path(stage)
  end
end

-- The toggles of some stages: {stage, name, values, default, file, line}.
function kernels.toggles(of)
  local list, script = {}, 'toggles/toggles.py'
  for _, stage in ipairs(of) do
    local path = kernels.path(stage)
    local text = files.said(script, { 'list', stage }, { path })
      or report.line(script, nil, 'it failed for %s', stage) or ''
    for name, default, values in text:gmatch('(%S+) (%S+) ([^\n]+)\n') do
      list[#list + 1] = { stage = stage, name = name, default = default,
        values = values, file = path,
        line = files.line_of(path, '// toggle ' .. name .. ':') }
    end
  end
  return list
end

return kernels
