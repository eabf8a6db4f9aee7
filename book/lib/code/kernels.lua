-- The kernels of the ladder's stages, in their order. A stage with rules of its
-- own, in its stage.mk, is no step of it.
local files = require 'common.files'
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

-- The names of all stages, by their numbers.
function kernels.stages()
  if not stages then
    local apart = {}
    for _, path in ipairs(files.matching('.*stage%d+_[%w_]+/stage%.mk')) do
      apart[path:gsub('stage%.mk$', 'kernel.cu')] = true
    end
    stages = {}
    for _, path in ipairs(files.matching('.*stage%d+_[%w_]+/kernel%.cu')) do
      local stage = kernels.stage(path)
      if stage and not apart[path] then stages[#stages + 1] = stage end
    end
    table.sort(stages, function(a, b)
      return tonumber(a:match('%d+')) < tonumber(b:match('%d+'))
    end)
  end
  return stages
end

-- The name of the page with all lines of a source.
function kernels.page(path)
  local stage = (kernels.stage(path) or ''):match('^stage%d+')
  return 'source-' .. (stage or path:gsub('[^%w]+', '-')) .. '.html'
end

-- The kernel of the stage before, or nil.
function kernels.before(path)
  local previous
  for _, stage in ipairs(kernels.stages()) do
    if kernels.path(stage) == path then return previous end
    previous = kernels.path(stage)
  end
end

return kernels
