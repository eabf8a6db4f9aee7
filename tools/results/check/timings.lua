-- Are the timings of a result whole, and are they what their samples say?
local timings = {}

local METHODS = { 'event', 'graph' }
-- Where identical kernels differ by more, a table of stages says too little.
local MOST_NOISE = 0.05
local ROUNDED = 0.001 -- samples have three decimals, in microseconds

local function is_number(value)
  return type(value) == 'number' and value == value
end

-- The smallest sample that so large a share does not exceed: samples.c.
local function percentile(samples, share)
  return samples[math.max(1, math.ceil(share * #samples))]
end

local function check_samples(its, name, fault)
  local samples = type(its.samples_us) == 'table' and { table.unpack(
    its.samples_us) } or {}
  if #samples == 0 or #samples ~= its.count then
    return fault('%s has %d samples, and says %s', name, #samples,
      tostring(its.count))
  end
  for _, sample in ipairs(samples) do
    if not is_number(sample) then
      return fault('%s has a sample that is no number', name)
    end
  end
  table.sort(samples)
  for _, percent in ipairs { 50, 90, 99 } do
    local key = 'p' .. percent .. '_us'
    local value = percentile(samples, percent / 100)
    if not is_number(its[key]) or math.abs(its[key] - value) > ROUNDED then
      fault('%s: %s is %s, and its samples say %.3f', name, key,
        tostring(its[key]), value)
    end
  end
end

local function check_noise(its, name, in_main, fault)
  if not is_number(its.noise_us) then
    fault('%s: there is no noise', name)
  elseif in_main and is_number(its.p50_us) and
      its.noise_us > MOST_NOISE * its.p50_us then
    fault('%s: the noise is %.2f us of %.2f, over %.0f %%', name, its.noise_us,
      its.p50_us, 100 * MOST_NOISE)
  end
end

-- shape: the key of perf; dims: what settings.json says that this shape is, or
-- nil of a shape that has its numbers as its name; in_main: is it the run of
-- all stages? There both methods are needed, and little noise; a chapter's part
-- compares arms, and prints a difference within its noise as none.
function timings.check_shape(timing, shape, dims, in_main, fault)
  local given = type(timing.shape) == 'table' and timing.shape or {}
  if dims and table.concat(given, ',') ~= table.concat(dims, ',') then
    fault('%s is the shape %s', shape, table.concat(given, ','))
  end
  for _, method in ipairs(METHODS) do
    local its, name = timing[method], shape .. ', ' .. method
    if type(its) == 'table' then
      check_samples(its, name, fault)
      check_noise(its, name, in_main, fault)
    elseif method == 'event' or in_main then
      fault('%s: there are no timings', name)
    end
  end
end

return timings
