-- The stages' kernels, in their order.
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
    stages = files.matching('(stage%d+_[%w_]+)/kernel%.cu')
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
