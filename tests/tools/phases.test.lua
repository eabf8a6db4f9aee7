#!tests/lua.sh
-- A stage's kernel with stamps, on the executor: it computes what the kernel
-- computes, and its trace has the phases of its list, and no others.
-- for each stage[0-9]*_* without stage.mk
-- takes: 15 s
-- drawn: 1
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'
local test = dofile 'tests/lib.lua'
local fault_of = dofile 'tests/tools/fault_of_trace.lua'
local stage = arg[1]
local list = test.read('tools/timeline/stamp/' .. stage .. '.phases')
if not list then
  test.ok(tonumber(stage:match '%d+') < 2,
    stage .. ': only stages 0 and 1 have no list')
  test.finish()
end
test.enter_copy()
test.only_stage(stage)

-- Of 300 keys, every ring goes round where a step is short.
test.ends(stage .. ": gates pass, and the output is the plain kernel's", 0,
  {'passed', 'with stamps'}, 'make ' .. stage:match '^[^_]*' ..
  ' timeline TARGET=cpu SHAPES=1,1,300,64')
local trace = json.decode(test.read('build/timeline/' .. stage ..
  '.1,1,300,64.trace.json'))
local warps, seen = {}, {}
for _, event in ipairs(trace.traceEvents) do
  if event.ph == 'B' then
    warps[event.pid .. '.' .. event.tid] = true
    seen[event.name] = true
  end
end
local count = 0
for _ in pairs(warps) do count = count + 1 end
local fault = fault_of(trace.traceEvents, count)
test.ok(count > 0 and not fault, '  the events of its trace lie end to end',
  fault)

local phases, wrong = {}, ''
for line in list:gmatch '[^\n]+' do
  local phase = line:match '^([%a_]+) +%l+ +[%l-]+'
  if phase then phases[phase] = true end
end
for _, word in ipairs {'open', 'begin', 'field', 'hand', 'take'} do
  phases[word] = nil
end
for phase in pairs(phases) do
  if not seen[phase] then wrong = wrong .. ' no ' .. phase end
end
for phase in pairs(seen) do
  if not phases[phase] then wrong = wrong .. ' no rule for ' .. phase end
end
test.ok(wrong == '', '  and has every phase of the list', wrong)
test.finish()
