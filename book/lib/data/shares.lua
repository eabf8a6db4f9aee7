-- How far each stage is at one shape: the ceiling's time, and that of the
-- fastest library, in percent of the time that the stage takes.
local shares = {}

-- What the libraries are called where people read.
shares.NAMES = { torch_math = 'PyTorch math', torch_flash = 'PyTorch flash',
  torch_efficient = 'PyTorch memory-efficient', torch_cudnn = 'PyTorch cuDNN',
  flash_attention_3 = 'FlashAttention-3', cudnn_fp16 = 'cuDNN fp16',
  cudnn_fp8 = 'cuDNN FP8' }

-- The median of a contender that was timed, by itself or in a graph.
function shares.time_of(contender)
  if type(contender) ~= 'table' then return nil end
  local method = type(contender.graph) == 'table' and contender.graph
    or contender.event
  local time = type(method) == 'table' and method.p50_us
  return type(time) == 'number' and time or nil
end

-- The fastest of those that are not ours: its key and its time.
function shares.best_of(contenders)
  local best, least
  for name, contender in pairs(contenders) do
    local time = not name:find('^stage%d') and name ~= 'libfp8attention'
      and shares.time_of(contender)
    if time and (not least or time < least or time == least and name < best)
    then
      best, least = name, time
    end
  end
  return best, least
end

function shares.name_of_best(contenders)
  local best = shares.best_of(contenders)
  return shares.NAMES[best] or best
end

-- contenders: as make peers records them for a shape; ceiling_us: the time at
-- the ceiling there; stages: the names of all; others: contenders of another
-- run, of which the best library may be one. A list of {name, ceiling,
-- library} of those that were timed, and {name, ceiling} of the library; or nil
-- and a reason.
function shares.of(contenders, ceiling_us, stages, others)
  local best, least = shares.best_of(contenders)
  local other, time = shares.best_of(others or {})
  if other and (not least or time < least) then best, least = other, time end
  if not best then return nil, 'no library was timed' end
  local list = {}
  for _, name in ipairs(stages) do
    local time = shares.time_of(contenders[name])
    if time then
      list[#list + 1] = { name = name, ceiling = 100 * ceiling_us / time,
        library = 100 * least / time }
    end
  end
  if #list == 0 then return nil, 'no stage was timed' end
  return list, { name = shares.NAMES[best] or best,
    ceiling = 100 * ceiling_us / least }
end

return shares
