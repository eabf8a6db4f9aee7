#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- The step of a clock:  tick.lua RESULT
-- The largest number of nanoseconds that divides every sample between events.
local step, count, seen, values = 0, 0, {}, 0
local function divisor(a, b)
  while b > 0 do a, b = b, a % b end
  return a
end
local result = pandoc.json.decode(assert(io.open(arg[1])):read 'a', false)
for _, shape in pairs(result.perf) do
  for _, sample in ipairs(shape.event.samples_us) do
    local ns = math.floor(sample * 1000 + 0.5)
    step, count = divisor(step, ns), count + 1
    if not seen[ns] then seen[ns], values = true, values + 1 end
  end
end
print(string.format('%d samples, %d different values, all multiples of %d ns',
  count, values, step))
