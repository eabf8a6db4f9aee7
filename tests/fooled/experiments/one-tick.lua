#!tests/lua.sh
-- A difference of one tick of the clock, and the ticks of two clocks.
local fooled = dofile 'tests/fooled/lib.lua'
local run = fooled.recorded .. '/stage3/stage3_fused_softmax.json'
print "the earlier project's times, in steps of 1.024 us:"
local times, seen = {}, {}
for _, claim in ipairs(fooled.json('results/original-l4/claims.json').claims) do
  for _, name in ipairs {'before_us', 'after_us'} do
    local time = claim.figures[name]
    if time and time % 1 ~= 0 and not seen[time] then
      seen[time] = true
      table.insert(times, time)
    end
  end
end
table.sort(times)
for _, time in ipairs(times) do
  local ticks = math.floor(time / 1.024 + 0.5)
  print(string.format('  %8.2f us = %4d ticks%s', time, ticks,
    math.abs(time - ticks * 1.024) < 0.006 and '' or ', and not quite'))
end
fooled.accepts('tests/fooled/tick.lua ' .. run, 'multiples of 32 ns')
print()

-- The recorded result, its medians between events so many ticks less.
for _, case in ipairs {{1, 'no difference'}, {10, ' [%d.]+ %% +1'}} do
  local ticks, wanted = table.unpack(case)
  local faster = 'build/faster-' .. ticks .. '.json'
  fooled.write(faster, (fooled.read(run):gsub(
    '("event": {\n *"p50_us": )([%d.]+)', function(before, p50)
      return before .. p50 - 0.032 * ticks
    end)))
  print('the same result, made ' .. ticks .. ' of our ticks faster:')
  fooled.accepts('build/tools/compare ' .. run .. ' ' .. faster,
    'mission +event .*' .. wanted, '^shape')
end
fooled.verdict()
