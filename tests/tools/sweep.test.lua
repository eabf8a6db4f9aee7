#!tests/lua.sh
-- The sweep: its shapes are those that were drawn, its record and its table say
-- the same, and what does not fit, fails or is no shape ends as it should.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
test.environment.PYTHONDONTWRITEBYTECODE = '1'
local FILE = 'tools/peers/sweep.txt'

-- ---- the shapes ----

local drawn = test.must 'python3 tools/peers/draw_shapes.py'
test.ok(drawn == test.read(FILE),
  'drawn again, the shapes are those of the file')
local count, mixes, few, long, small, large = 0, {}, true, 0, 0, 0
local log = function(x) return math.log(x, 2) end
for _, line in ipairs(test.lines(drawn)) do
  if line:sub(1, 1) ~= '#' then
    local b, h, kv, s, d, mask =
      line:match '^(%d+),(%d+):?(%d*),(%d+),(%d+)(,?%l*)$'
    b, h, s = tonumber(b), tonumber(h), tonumber(s)
    kv = tonumber(kv) or h
    few = few and b >= 1 and b <= 16 and h >= 8 and h <= 64 and s >= 128 and
      s <= 32768 and b * h * s <= 2 ^ 20 and h % kv == 0 or print('# ' .. line)
    local mix = d .. mask .. ' ' .. h // kv
    mixes[mix] = (mixes[mix] or 0) + 1
    count = count + 1
    if s >= 4096 then long = long + 1 end
    if log(b * h * s) < 14 then small = small + 1 end
    if log(b * h * s) > 17 then large = large + 1 end
  end
end
test.ok(count == 60 and few, '  60, and none out of bounds')
local even = 0
for _, d in ipairs {64, 128} do
  for _, mask in ipairs {'', ',causal'} do
    for _, group in ipairs {1, 4, 8} do
      if mixes[d .. mask .. ' ' .. group] == 5 then even = even + 1 end
    end
  end
end
test.ok(even == 12, '  each D, mask and number of shared heads as often')
test.ok(small >= 15 and large >= 15 and long >= 10,
  '  a quarter is small, a quarter is large, and some are long')

-- ---- a run ----

local function shapes(text) test.write(FILE, text) end
local function run(name, code, text, ...)
  test.environment.PYTHONPATH = 'tests/tools/standin'
  test.sh 'rm -rf out'
  return test.ends(name .. ': exit ' .. code, code, {text, without = 'Trace'},
    'python3 tests/tools/standin/run.py run out commit "$@" -- sweep', ...)
end
local function recorded() return test.json 'out/sweep.json' end

-- By the stand-in's clocks: PyTorch's cuDNN takes 10 us, the stage 10.2 for
-- each 16 rows, and noise there is none.
shapes '# few\n1,2,4,64\n1,2,8,64 # 2 %\n\n1,2:1,9,64,causal\n1,2,8,128\n'
local said = run('a sweep', 0, 'wrote out/sweep.json', 'stage1=30',
  'stage2=10.2', 'stage2.A-1=9')
local row = '\n  (%S+) +([%d.]+) +([%d.]+) +([%d.]+) +([%d.]+)  (%a+) ' ..
  ' *(%S+) / (%S+)'
local table_rows = {}
for name, ratio, ours, best, noise, within, who, peer in said:gmatch(row) do
  table.insert(table_rows, table.concat({name, ratio, ours, best, noise, within,
    who, peer}, ' '))
end
test.ok(table.concat(table_rows, '\n') == [[
1,2:1,9,64,causal 1.147 11.47 10.00 0.00 NO stage2 torch_cudnn
1,2,8,64 1.020 10.20 10.00 0.00 yes stage2 torch_cudnn
1,2,4,64 0.510 5.10 10.00 0.00 yes stage2 torch_cudnn]],
  '  the worst first, against the fastest peer, by the default arm', said)
test.ok(test.has(said, {
  '1,2,8,128                  no ratio: a stage or a peer takes no part',
  '2 of 3 shapes are within 3 % and the noise, 1 have no ratio',
  'median 1.020, worst 1.147.'}), '  and what it sums up to', said)
test.ok(test.has(said, {
  'flash_attention_3 takes no part: cannot: no flash_attn_interface',
  'stage2 was left out at 1 of 4 shapes, first at 1,2,8,128: cannot: takes D',
  without = 'flash_attention_3 was left out'}), '  and who was left out', said)
local record = recorded()
local all = record.sweep.shapes
local level, shared = all['1,2,8,64'], all['1,2:1,9,64,causal']
test.ok(level.ratio == 1.02 and level.within == true and
  shared.within == false and shared.kv_heads == 1 and shared.causal == true and
  shared.best == 'torch_cudnn' and all['1,2,8,128'].ratio == nil and
  all['1,2,8,128'].contenders.torch_cudnn.graph.p50_us == 10,
  '  the record says it, too')
local full = true
for _, shape in pairs(all) do
  for name, its in pairs(shape.contenders) do
    local graph = its.graph
    full = full and (its.absent or its.rel_rms and #graph.samples_us ==
      shape.rounds and graph.launches > 0) or print('# ' .. name)
  end
end
test.ok(full, '  with each sample, or a reason')
local slow = level.contenders
test.ok(test.has(slow.torch_math.absent, 'slow: 80 us in a first look') and
  test.has(slow.stage1.absent, 'where another takes 9') and
  slow.stage1.look_us == 30 and slow['stage2.A-1'].graph.p50_us == 9,
  '  the slow ones of both sides were looked at once')
said = test.ends('a recorded sweep is shown', 0, {'2 of 3 shapes',
  '\n  1,2:1,9,64,causal           1.147'},
  'python3 tools/peers/peers.py show out/sweep.json')
test.must 'mv out/sweep.json sweep.json'
local whole = test.read 'sweep.json'
for name, case in pairs {
  ['shapes that are a text'] = {'"shapes": {', '"shapes": "", "x": {',
    ': sweep/shapes is a text, and must be an object.'},
  ['a shape that is a number'] = {'"shapes": {', '"shapes": {"a": 7, ',
    ': sweep/shapes/a is 7, and must be an object.'},
  ['a ratio in words'] = {'"ratio": [%d.]+', '"ratio": "1"',
    ': sweep/shapes/1,2,4,64/ratio is a text, and must be a number.'},
  ['no time'] = {'"best_us"', '"worst_us"',
    ': it has no sweep/shapes/1,2,4,64/best_us'},
} do
  test.write('sweep.json', (whole:gsub(case[1], case[2], 1)))
  test.ends('a record with ' .. name .. ': exit 1', 1,
    {'sweep.json' .. case[3], without = 'Trace'},
    'python3 tools/peers/peers.py show sweep.json')
end

test.environment.PYTHONPATH = 'tests/tools/standin:tools/peers'
test.ends('rounds fill the time that there is, from 10 to 50', 0, '',
  'python3 -c "$1"', [[
from clock import plan
assert plan([10.0] * 3, 2.0) == (50, [20] * 3)
assert plan([2000.0] * 10, 1.0) == (30, [1] * 10)
assert plan([150.0, 30000.0], 0.2) == (10, [3, 1]) ]])

-- ---- what fails on the way ----

shapes '1,2,64,64\n'
test.environment.STANDIN_FREE = '330000'
said = run('little memory', 0, 'wrote', 'stage1=1')
local only = recorded().sweep.shapes['1,2,64,64']
test.ok(test.has(only.contenders.torch_math.absent, 'cannot: needs about') and
  only.contenders.torch_flash.rel_rms and only.ratio,
  '  who would not fit is left out, and the rest goes on', said)
test.environment.STANDIN_FREE = '200000'
said = run('memory for nobody', 0, 'No ratio at any of 1 shapes.', 'stage1=1')
only = recorded().sweep.shapes['1,2,64,64']
test.ok(test.has(only.absent, 'cannot: needs about'), '  the record says so',
  said)
test.environment.STANDIN_FREE = nil

shapes '1,2,8,64\n1,2,9,64\n1,2,10,64\n'
test.environment.STANDIN_DEAD_AT = '1,2,9,64'
said = run('a GPU that stops', 3, 'The GPU stopped at 1,2,9,64: an illegal ' ..
  'memory access was encountered.', 'stage1=1')
all = recorded().sweep.shapes
test.ok(all['1,2,8,64'].ratio and all['1,2,9,64'] and
  not all['1,2,9,64'].ratio and not all['1,2,10,64'],
  '  what was measured before is kept', said)
test.environment.STANDIN_DEAD_AT = nil

shapes '1,2,8,64\n'
said = run('a stage that is wrong', 1,
  'Wrong, and so not timed: stage1 at 1,2,8,64.', 'stage1=1,wrong')
test.ok(recorded().sweep.shapes['1,2,8,64'].contenders.stage1.wrong,
  '  is in the record', said)

-- ---- bad input ----

-- Ends with this code and one sentence, before anything is measured.
local function refused(name, code, sentence, words)
  local told = test.ends(name .. ': exit ' .. code, code, sentence,
    'PYTHONPATH=none python3 tools/peers/peers.py run ' .. words)
  test.ok(#test.lines(told) == 1, '  in one line', told)
end
for _, case in ipairs {
  {'a line that is no shape', '1,8,64,64\n1,8,x,64\n',
    FILE .. ", line 2: '1,8,x,64' is no shape: "},
  {'a file that is cut off', drawn:sub(1, -4), FILE .. ', line '},
  {'heads that do not fit', '1,8:3,64,64\n', FILE .. ', line 1: H in shape'},
  {'a shape that is there twice', '1,8,64,64\n\n1,8,64,64\n',
    FILE .. ', line 3: 1,8,64,64 is there twice.'},
  {'a file without shapes', '# none\n', FILE .. ' has no shapes: '},
  {'a file that is no text', '1,8,64,64\n\xff\xfe\n', FILE .. ' is no text.'},
} do
  shapes(case[2])
  refused(case[1], 2, case[3], 'out commit none.so -- sweep')
end
test.must('rm ' .. FILE)
refused('no file', 2, 'Cannot read ' .. FILE .. ': No such file or directory.',
  'out commit none.so -- sweep')
shapes(drawn)
test.write('taken', '')
refused('a folder that cannot be written', 3,
  'Cannot write taken/sweep.json: ', 'taken commit none.so -- sweep')
refused('a sweep and a shape beside it', 2, "'sweep' is a run of its own: ",
  'out commit none.so -- mission sweep')

-- ---- make ----

test.environment.PYTHONPATH = false
test.ends('an AGAINST that is no stage: exit 2', 2,
  'AGAINST names stage99, which is no stage',
  'make peers SHAPES=sweep AGAINST=stage99')
if test.sh 'ls results/*/*/sweep.json 2>/dev/null' == '' then
  test.ends('no recorded sweep, by make', 2,
    'peers needs a GPU, and no sweep is recorded.',
    'make -s peers SHAPES=sweep TARGET=cpu')
  test.ends('  exit 3 behind it', 3, 'no sweep is recorded',
    'tools/peers/peers.sh show "" sweep')
end
test.must 'mkdir -p new'
test.write('new/sweep.json', whole)
said = test.ends('a recorded one is shown by make', 0,
  {'No GPU was used', '2 of 3 shapes are within 3 %'},
  'make -s peers SHAPES=sweep TARGET=cpu JSON=new')
test.finish()
