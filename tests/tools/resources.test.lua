#!tests/lua.sh
-- What ptxas says, read and held against a budget.
local test = dofile 'tests/lib.lua'
local resources = test.folder .. '/build/tools/resources'
local cubin = 'build/gpu/stage99_x/default/sm_90a.cubin'
local settings = 'common/harness/settings.json'
test.folder = test.scratch
test.must('mkdir -p common/harness build/gpu/stage99_x/default')
test.write(settings, [[{"budgets": {"stage99_x": {"registers": 80,
  "shared_bytes": 4096, "stack_bytes": 0, "spill_bytes": 0}}}]])
test.write(cubin, '')

-- Two functions, of which the first is so.
local function report(registers, shared, stack, stores, loads)
  test.write(cubin .. '.ptxas', string.format([[
ptxas info    : Compiling entry function 'one' for 'sm_90a'
ptxas info    : Function properties for one
    %d bytes stack frame, %d bytes spill stores, %d bytes spill loads
ptxas info    : Used %d registers, used 1 barriers, %d bytes smem
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, 64 bytes smem
]], stack, stores, loads, registers, shared))
end

local function says(name, code, text, ...)
  return test.ends(name, code, text, '"$@"', resources, ...)
end

report(72, 4096, 0, 0, 0)
says('the most of two functions', 0,
  'registers=72 shared_bytes=4096 stack_bytes=0 spill_bytes=0', 'read',
  cubin .. '.ptxas')
says('registers as they are allotted', 0, '72', 'allotted', cubin .. '.ptxas')
local said = says('within its budget', 0, 'stage99_x/default sm_90a', 'table',
  'stage99_x/default')
test.ok(not said:find 'over budget', '  and nothing is over it', said)
report(81, 4096, 16, 8, 4)
says('registers, eight at a time', 0, '88', 'allotted', cubin .. '.ptxas')
says('spills are stores and loads', 0, 'stack_bytes=16 spill_bytes=12', 'read',
  cubin .. '.ptxas')
says('over it: each limit is named', 1,
  'over budget: registers=80 over budget: stack_bytes=0 over budget: spill',
  'table', 'stage99_x/default')
test.write(cubin .. '.ptxas', 'nvcc fatal\n')
says('no report', 1, 'No resource report in ' .. cubin .. '.ptxas', 'table',
  'stage99_x/default')
report(1, 1, 0, 0, 0)
test.write(settings, '{}\n')
says('no budget', 1, 'has no budget for stage99_x', 'table',
  'stage99_x/default')
says('an unknown verb', 2, "no verb 'within'", 'within', 'x')
says('no verb', 2, 'Give a verb')
test.finish()
