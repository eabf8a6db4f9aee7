#!tests/lua.sh
-- The kernels with stamps on the executor, what is written about them, and what
-- goes wrong.
-- takes: 30 s
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'
local test = dofile 'tests/lib.lua'
local tree = test.folder
local lists = 'tools/timeline/stamp/'

local stages = {}
for stage in test.sh('ls ' .. lists):gmatch '(stage[%w_]+)%.phases' do
  table.insert(stages, stage)
end

-- ---- on the executor --------------------------------------------------------

-- The value of a file, by the book's strict reader.
local function strict(name, path)
  local value, what, line = json.decode(test.read(path))
  test.ok(value, name, string.format('%s, line %s', what, line))
  return value
end

-- What is wrong with a trace: of each warp, events in turn B and E, in order,
-- end to end. Nil where nothing is.
local function fault_of(events, warps)
  local at, open, seen = {}, {}, 0
  for _, event in ipairs(events) do
    local warp = event.pid .. '.' .. event.tid
    local begins, time, before = event.ph == 'B', event.ts, at[warp]
    if begins or event.ph == 'E' then
      if not before then seen = seen + 1 end
      if begins == (open[warp] or false) then return 'unbalanced ' .. warp end
      if before and (time < before or begins and time ~= before) then
        return 'not end to end ' .. warp
      end
      at[warp], open[warp] = time, begins
    end
  end
  for warp, is_open in pairs(open) do
    if is_open then return 'open ' .. warp end
  end
  return seen ~= warps and seen .. ' warps' or nil
end

local events
for _, stage in ipairs(stages) do
  local warps = stage == 'stage5_warp_spec' and 24 or 16
  test.ends(stage .. ": gates pass, and the output is the plain kernel's", 0,
    '', 'build/cpu/$1/default/timeline --shape 1,1,128,64 --json "$2" ' ..
    '--trace "$2"', stage, test.scratch)
  events = strict(stage .. ': the trace is JSON', test.scratch .. '/' ..
    stage .. '.1,1,128,64.trace.json').traceEvents
  local fault = fault_of(events, warps)
  test.ok(not fault, stage .. ': the events of the trace lie end to end', fault)
  local seen, missing = {}, ''
  for _, event in ipairs(events) do
    if event.ph == 'B' then seen[event.name] = true end
  end
  for phase in ([[Q_load KV_prefetch dequant WMMA_QK softmax PV_accum store_O
      wait_copy wait_barrier]]):gmatch '%S+' do
    if not seen[phase] then missing = missing .. ' ' .. phase end
  end
  test.ok(missing == '', stage .. ': every phase is in the trace', missing)
end
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
local fault = fault_of(events, 24)
test.ok(not fault, 'and a trace whose events lie end to end', fault)
test.finish()
