#!tests/lua.sh
-- What is written about a kernel with stamps, and what goes wrong. That each
-- stage's works is seen by phases.test.lua.
-- takes: 30 s
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'
local test = dofile 'tests/lib.lua'
local tree = test.folder
local lists = 'tools/timeline/stamp/'

-- ---- on the executor --------------------------------------------------------

-- The value of a file, by the book's strict reader.
local function strict(name, path)
  local value, what, line = json.decode(test.read(path))
  test.ok(value, name, string.format('%s, line %s', what, line))
  return value
end

local fault_of = dofile 'tests/tools/fault_of_trace.lua'
local stage5 = 'stage5_warp_spec'
test.must('build/cpu/$1/default/timeline --shape 1,1,128,64 --json "$2" ' ..
  '--trace "$2"', stage5, test.scratch)
local events = strict('the trace is JSON', test.scratch .. '/' .. stage5 ..
  '.1,1,128,64.trace.json').traceEvents
local fault = fault_of(events, 24)
test.ok(not fault, 'the events of the trace lie end to end', fault)
for i, event in ipairs(events) do
  if event.ph == 'E' then table.remove(events, i) break end
end
test.ok(fault_of(events, 24), 'the check of traces sees a missing end')

local summary = test.scratch .. '/stage5_warp_spec.timeline.json'
strict('the summary is JSON', summary)
local text = test.read(summary)
test.ok(test.has(text, '"producers"') and not (text:find 'share_pct' or
  text:find '_cycles"' or text:find 'overlap' or text:find 'overhead'),
  'of executor steps the summary gives no share and no time', text)
local drawings = {}
for i = 1, 2 do
  local file = test.scratch .. '/' .. i .. '.svg'
  test.must('tools/timeline/draw.lua "$@"', summary, file)
  drawings[i] = test.read(file)
end
test.ok(drawings[1] == drawings[2] and test.has(drawings[1],
  {'>producer 5<', 'steps from step', without = 'style='}),
  'the drawing, twice the same', drawings[1])

-- ---- what goes wrong --------------------------------------------------------

test.folder = test.scratch
test.write('file', '')
for _, case in ipairs {
  {2, "'nonsense' is no shape", '--shape', 'nonsense'},
  {2, 'must be a whole number from 1', '--blocks', '0'},
  {3, 'Cannot write file/x/', '--shape', 'small', '--trace', 'file/x'},
  {3, 'file/x', '--shape', 'small', '--json', 'file/x'},
} do
  test.ends('exit ' .. case[1] .. ': ' .. case[2], case[1], case[2], '"$@"',
    tree .. '/build/cpu/stage2_wmma_pv/default/timeline',
    table.unpack(case, 3))
end

-- In a copy, a list that names a phase for another one, and a stamp that
-- changes what is computed, by too little for the gates.
test.folder = tree
test.enter_copy()
local function timeline(stage, options)
  return 'make ' .. stage .. ' timeline TARGET=cpu ' .. (options or '')
end
local list = lists .. 'stage2_wmma_pv.phases'
test.edit(list, '\nPV_accum ', '\nsoftmax  ')
test.ends('a phase that no stamp names', 2,
  'never in PV_accum: the list of phases does not fit', timeline 'stage2')
test.edit(list, 'softmax      before p', 'PV_accum     before p')
local writer = 'stamp_writer stamp;'
local change = ' args.softmax_scale *= 1.00001f;'
test.edit(lists .. 'stamp.c', writer, writer .. change)
test.ends('stamps that change the output', 2,
  'With stamps the kernel computes something else', timeline 'stage2')
test.edit(lists .. 'stamp.c', change, '')

-- ---- the goal ---------------------------------------------------------------

test.ends('make: a stage without a list is an error', 2,
  {'no list of phases', 'Error 2'}, timeline 'stage1')
test.must('mkdir recorded && cp "$1" recorded', summary)
test.ends("make: without a GPU, what is recorded and the executor's order", 0,
  {'newest recorded timeline', 'and no time', without = 'has changed'},
  timeline('stage5', 'JSON=recorded'))
local record = 'recorded/stage5_warp_spec.timeline.json'
local hash = test.json(record).build_meta.kernel_hash
test.edit(record, hash, 'of another kernel')
test.ends('make: a kernel that changed since is told', 0, 'has changed',
  timeline('stage5', 'JSON=recorded'))

local _, no_gpu = test.sh 'nvidia-smi -L'
if no_gpu ~= 0 then
  test.skip('stage 5 on the GPU', 'no NVIDIA GPU here')
  test.finish()
end
test.ends('stage 5 on the GPU', 0, '',
  'make stage5 timeline SHAPES=1,1,128,64 ITERS=50 JSON=gpu')
strict('its summary is JSON', 'gpu/stage5_warp_spec.timeline.json')
text = test.read 'gpu/stage5_warp_spec.timeline.json'
test.ok(test.has(text, {'overhead_pct', 'share_pct', 'stamped_resources'}),
  'with shares, and what the stamps cost', text)
events = test.json(
  'build/timeline/stage5_warp_spec.1,1,128,64.trace.json').traceEvents
fault = fault_of(events, 24)
test.ok(not fault, 'and a trace whose events lie end to end', fault)
test.finish()
