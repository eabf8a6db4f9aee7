#!tests/lua.sh
-- The decision rules on profiles with known answers, the newest recorded one,
-- and the recorder with a stand-in for the profiler.
local test = dofile 'tests/lib.lua'
local hash = '0'

local function profile(file, shape, counters)
  test.write(file, pandoc.json.encode {
    build_meta = {schema_version = 1, stage = 'stage1_cp_async',
      arm = 'default', kernel_hash = hash, profiler = 'p'},
    ncu = {[shape] = counters},
  })
end

local one = test.scratch .. '/p.json'
local function says(name, text, counters, shape)
  profile(one, shape or 'mission', counters)
  return test.ends(name, 0, text, 'build/tools/profile show "$1"', one)
end

local function of(tensor, dram, shared)
  return {tensor_pipe_pct = tensor, dram_pct = dram, shared_pipe_pct = shared}
end
for _, case in ipairs {
  {'compute-bound', 50, 49.9, 70},
  {'latency-bound', 49.9, 50, 70},
  {'memory-bound', 10, 70.1, 10},
  {'latency-bound', 60, 60, 10},
  {'memory-bound', 60, 90, 10},
  {'shared-memory-bound', 10, 10, 70.1},
  {'compute-bound shared-memory-bound', 50, 10, 80},
} do
  local verdict, tensor, dram, shared = table.unpack(case)
  local said = says(string.format('tensor %s %%, DRAM %s %%, shared %s %%: %s',
    tensor, dram, shared, verdict), 'verdict: ' .. verdict,
    of(tensor, dram, shared))
  test.ok(said:match 'verdict: ([^\n]*)' == verdict, '  and nothing else', said)
end
says('a rule that holds, though not all is recorded',
  'verdict: shared-memory-bound as far as recorded', {shared_pipe_pct = 84})
says('no verdict on a third of the figures', 'verdict: none',
  {shared_pipe_pct = 12, tensor_pipe_pct = 1})
local said = says('the three longest waits, longest first',
  '2.00 for a barrier,',
  {stall_wait = 1, stall_barrier = 2, stall_math = 0.5, stall_lg = 0.1})
local waits = {}
for wait in said:gmatch ' for ([^\n]-),?\n' do table.insert(waits, wait) end
test.ok(table.concat(waits, ',') == 'a barrier,a fixed delay,a busy pipe',
  'three different ones, and no more', said)

-- 4 x 1 x 8 x 512 x 512 x 64 operations in 1 us; 65536 HMMAs of 4096 each, with
-- the pipe half busy; DRAM 100 bytes a cycle at 1 GHz.
local counters = {
  duration_ns = 1000, tensor_instructions = 65536, tensor_pipe_pct = 50,
  dram_read_bytes = 30000, dram_write_bytes = 20000,
  dram_bytes_per_cycle_peak = 100, dram_hz = 1e9, l2_sectors = 1000,
  l2_sectors_per_cycle_peak = 10, l2_hz = 1e9,
}
for _, case in ipairs {
  {'useful operations of a named shape', '536.87 TFLOP/s'},
  {'tensor rate and what a busy pipe would reach', '268.44 TFLOP/s of 536.9'},
  {'DRAM rate and ceiling', '50.00 GB/s of 100.0'},
  {'L2 rate and ceiling', '32.00 GB/s of 320.0'},
  {'operations a byte', '10737.4 FLOP a DRAM byte'},
  {'useful operations of a shape in numbers', '268.44 TFLOP/s', '1,4,512,64'},
  {'a causal mask leaves half', '134.22 TFLOP/s', '1,4:2,512,64,causal'},
} do
  says(case[1], case[2], counters, case[3])
end
said = says('the other figures of what is no shape', '50.00 GB/s', counters,
  '1,4:3,512,64')
test.ok(not test.has(said, 'useful'), '  without useful operations', said)
profile(one, '1,4,512,64', counters)
said = test.sh('build/tools/profile roofline "$1"', one)
local figures = pandoc.json.decode(said, false)['1,4,512,64']
test.ok(figures.useful_flops == 268435456 and
  figures.dram_ceiling_gb_s == 100, 'the same as JSON', said)

test.enter_copy()
local show = 'make stage1 profile TARGET=cpu'
local name = 'stage1_cp_async.ncu.json'
test.must 'rm -rf results'
test.ends('nothing recorded: exit 3', 2,
  {'no profile of stage1_cp_async', 'Error 3'}, show)
hash = test.must('tools/results/kernel-hash.sh stage1_cp_async'):match '%S+'
for folder, counted in pairs {['a/2026-01-02'] = of(60, 10, 10),
    ['a/2026-01-01'] = of(10, 90, 10), ['b/2025-12-31'] = of(10, 90, 10)} do
  test.must('mkdir -p results/' .. folder)
  profile('results/' .. folder .. '/' .. name, 'mission', counted)
end
test.ends('without a GPU, the newest recorded profile', 0,
  {'No GPU was used', 'verdict: compute-bound', without = 'has changed'}, show)
test.ends("the arm's own, not another's", 2, 'USE_KV_LUT-1 is recorded',
  show .. ' USE_KV_LUT=1')
hash = '1'
profile('results/a/2026-01-02/' .. name, 'mission', of(60, 10, 10))
test.ends('a kernel that changed since is told', 0, 'has changed', show)

-- A stand-in for ncu: knows all metrics but UNKNOWN, counts 1,000 of each.
test.must 'mkdir -p bin build/gpu/stage1_cp_async/default'
test.script('bin/ncu', [[
[ "$1" != --version ] || { echo "Version 1"; exit; }
echo "==PROF== Connected"
[ -z "${FORBIDDEN:-}" ] || { echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1; }
while [ "$1" != --metrics ]; do shift; done
for metric in $(echo "$2" | tr , ' '); do
  [ "$metric" != "${UNKNOWN:-}" ] ||
    { echo "==ERROR== Failed to find metric $metric"; exit 9; }
done
[ -z "${NOTHING:-}" ] || exit 0
for metric in $(echo "$2" | tr , ' '); do
  value=1,000
  [ "$metric" != launch__waves_per_multiprocessor ] || value=n/a
  printf '"0","1","attention_kernel","%s","unit","%s"\n' "$metric" "$value"
done
]])
test.script('build/gpu/stage1_cp_async/default/program', [[
printf 'stage1 X=1 on GPU Z, compute capability 9.0\nkernel hash  abc\n'
]])
test.environment.PATH = test.folder .. '/bin:' .. os.getenv 'PATH'
local record = 'build/tools/profile record stage1_cp_async/default out mission'
local file = 'out/' .. name
test.ends('a profile is recorded and read', 0, '', record .. ' 1,4,512,64')
local recorded = test.json(file)
local bad = recorded.build_meta.device.name ~= 'GPU Z'
local stalls, list = 0, test.read 'tools/profile/metrics.list'
for _, shape in ipairs {'mission', '1,4,512,64'} do
  bad = bad or recorded.roofline[shape].verdict ~=
    'memory-bound shared-memory-bound'
  for metric, value in pairs(recorded.ncu[shape]) do
    if metric:find '^stall_' then stalls = stalls + 1 end
    bad = bad or value ~= 1000
  end
end
said = test.sh('build/tools/profile show ' .. file)
test.ok(not bad and said:find '\n1,4,512,64:',
  'with the device, each metric as a number, and the roofline',
  said .. test.read(file))
test.ok(stalls == 2 * select(2, list:gsub('\nstall_', '')),
  'every stall reason at both shapes', test.read(file))
local optional = list:match '\ndram_pct %?(%S+)'
local code
said, code = test.sh('UNKNOWN="$1" ' .. record, optional)
recorded = test.json(file)
test.ok(code == 0 and test.has(said, 'does not know it: ' .. optional) and
  not recorded.ncu.mission.dram_pct and
  recorded.roofline.mission.verdict:find 'as far as recorded',
  'an unknown metric that may be missing is left out and told', said)
local old = test.read(file)
said, code = test.sh('UNKNOWN=gpu__time_duration.sum ' .. record)
test.ok(code == 3 and test.read(file) == old,
  'another unknown metric is an error, and the old profile stays', said)
test.ends('a profiler that saw no kernel', 3, 'counted nothing',
  'NOTHING=1 ' .. record)
said, code = test.sh('FORBIDDEN=1 ' .. record)
test.ok(code == 3 and test.has(said, 'administrator') and
  test.sh 'ls -A out' == name .. '\n',
  'not permitted: what to ask, and nothing left behind', said)
test.finish()
