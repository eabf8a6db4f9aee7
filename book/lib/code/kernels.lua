-- The kernels of the ladder's stages, in their order. A stage with rules of its
-- own, in its stage.mk, is no step of it.
local files = require 'common.files'
local kernels = {}
local stages

-- The folder of the stage whose kernel this is, or nil.
function kernels.stage(path)
  return path:match('^(stage%d+_[%w_]+)/kernel%.cu$')
end

-- The folders of all stages, by their numbers.
function kernels.stages()
  if not stages then
    local apart = {}
    for _, stage in ipairs(files.matching('(stage%d+_[%w_]+)/stage%.mk')) do
      apart[stage] = true
    end
    stages = {}
    for _, stage in ipairs(files.matching('(stage%d+_[%w_]+)/kernel%.cu')) do
      if not apart[stage] then stages[#stages + 1] = stage end
    end
    table.sort(stages, function(a, b)
      return tonumber(a:match('%d+')) < tonumber(b:match('%d+'))
    end)
  end
  return stages
end

-- The kernel of the stage before, or nil.
function kernels.before(path)
  local previous
  for _, stage in ipairs(kernels.stages()) do
    if stage .. '/kernel.cu' == path then return previous end
    previous = stage .. '/kernel.cu'
  end
end

return kernels
