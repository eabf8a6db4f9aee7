#!tests/lua.sh
-- make results-check: a folder that is whole and honest, and folders that lack
-- something, or say what their own figures don't.
-- takes: 15 s
local test = dofile 'tests/lib.lua'
local recorded = test.read 'chapters/book.yaml':match '\nresults: (%S+)'
test.enter_copy 'sources'

-- Three stages are enough, and one chapter's part.
local dir = recorded -- of an H200
test.must([[
for stage in stage*_*/; do
  case $stage in stage[01]_*|stage10_*) ;; *) rm -r "$stage" "$1/${stage%/}".*
  esac
done 2>/dev/null
rm -r "$1"/stage[2-9]* "$1"/stage1[1-9] "$1"/stage10 "$1"/*-wide "$1"/large \
  "$1"/ring "$1"/stage1/*=* "$1"/example.json "$1"/path*.json \
  "$1"/real.json "$1"/sweep.json "$1"/*.count.json "$1"/*.ncu.json \
  "$1"/floor.json 2>/dev/null
jq '{build_meta} | .build_meta.kernels |= {stage0_scalar, stage1_cp_async}' \
  "$1/peers.json" >new && mv new "$1/peers.json" && cp -R "$1" good]], dir)

local function check(name, code, text, where)
  return test.ends(name, code, text, 'tools/results/check/check.lua "$1"',
    where or dir)
end
local said = check('a good folder', 0, 'NVIDIA H200')
test.ok(said:find ': 3 stages on .*; whole and honest%.\n$',
  '  is whole and honest', said)

-- Ends with 1 and says each of these, and nothing else; then all is as it was.
local function faulty(name, sentences)
  local said = check(name, 1, '\n' .. #sentences .. ' fault')
  for _, sentence in ipairs(sentences) do
    test.ok(said:find(dir .. sentence, 1, true), '  ' .. sentence, said)
  end
  test.must('rm -r "$1"; cp -R good "$1"', dir)
end

local function jq(file, filter)
  test.must('jq "$1" "$2" >new && mv new "$2"', filter, dir .. '/' .. file)
end

-- changes: each a filter of jq, and what is said then of stage 1.
local function spoilt(name, changes)
  local filters, sentences = {}, {}
  for index, change in ipairs(changes) do
    filters[index] = change[1]
    sentences[index] = '/stage1_cp_async.json: ' .. change[2]
  end
  jq('stage1_cp_async.json', table.concat(filters, ' | '))
  faulty(name, sentences)
end
spoilt('figures that lie', {
  {'.build_meta.kernel_hash = "00"',
    'it was measured with another kernel than stage1_cp_async now has'},
  {'.build_meta.commit = "abc-dirty"', 'something was not committed'},
  {'.build_meta.device.name = "NVIDIA L4"',
    'it is of NVIDIA L4, and lies in nvidia-h200'},
  {'.build_meta.date = "2020-01-01T00:00:00Z"', 'it ran on 2020-01-01'},
  {'.build_meta.run = "1-1"', 'it was not timed in one process'},
  {'.perf.mission.graph.p50_us *= 0.9', 'mission, graph: p50_us is 22'},
  {'.perf.mission.event.noise_us = 9', 'mission, event: the noise is 9.00 us'},
  {'del(.perf.long.graph.samples_us[3])', 'long, graph has 24 samples, and'},
  {'del(.perf.long.event.noise_us)', 'long, event: there is no noise'},
  {'.perf.small.shape = [1, 8, 256, 64]', 'small is the shape 1,8,256,64'},
  {'.correctness.each[0].gates.rel_rms.verdict = "failed"',
    'small, seed 0: the gate rel_rms says "failed"'},
  {'.correctness.each[1].gates.rel_rms.figure = 1',
    'small, seed 1: the gate rel_rms has passed, and its figure is over'},
  {'.correctness.each[2].passed = false', 'small, seed 2 has not passed'},
  {'.correctness.failed = 1', 'its count of cases is not that'},
})
spoilt('what is not there', {
  {'.build_meta.stage = "stage99_none"', 'there is no kernel of stage99_none'},
  {'.build_meta.commit = "unknown"', 'it does not say of which commit it is'},
  {'.build_meta.device.is_gpu = false', 'it does not say on which'},
  {'.perf.mission.graph = null', 'mission, graph: there are no timings'},
  {'del(.perf.long)', 'there are no timings at long'},
  {'del(.correctness.each[4]) | .correctness.cases -= 1',
    'no gates at mission with seed 1'},
})

jq('stage0_scalar.json', '.perf.mission.graph.p50_us = -1')
jq('stage10_tma_ring.json', '3')
jq('peers.json', '.build_meta.kernels.stage0_scalar.kernel_hash = "00"')
test.must([[rm "$1/bench.terminal.txt"
head -c 900 good/stage1_cp_async.json >"$1/stage1_cp_async.json"
cp good/stage1_cp_async.json "$1/stage1_cp_async.USE_KV_LUT-1.json"
rm -r "$1/stage1"]], dir)
jq('stage1_cp_async.USE_KV_LUT-1.json', 'del(.correctness)')
faulty('files that cannot be read, or are not there', {
  '/stage0_scalar.json: perf/mission/graph/p50_us is -1',
  '/stage10_tma_ring.json: it is no result',
  '/stage1_cp_async.json: line ',
  '/peers.json: it was measured with another kernel than stage0_scalar now has',
  '/stage1_cp_async.USE_KV_LUT-1.json: it has no gates',
  '/bench.terminal.txt: there is no such file',
  ': no stage in it says on which GPU it ran',
})
os.remove(test.folder .. '/' .. dir .. '/stage1_cp_async.json')
faulty('a stage too few', {'/stage1_cp_async.json: there is no such file'})

-- Where a GPU cannot run a stage, none is missed.
local other = 'results/nvidia-l4/2026-11-21'
test.must([[mkdir -p "$2" && cp "$1/bench.terminal.txt" "$2" &&
for stage in stage0_scalar stage1_cp_async; do
  jq '.build_meta.device.name = "NVIDIA L4" |
    .build_meta.device.capability = "8.9"' "$1/$stage.json" >"$2/$stage.json"
done
cp "$1/machine-code.json" "$2"]], dir, other)
check('a GPU that cannot run stage 10', 0, '2 stages on NVIDIA L4', other)

-- ---- what is typed ----
for _, typed in ipairs {'', 'nowhere', 'results/nvidia-h200',
  'results/nvidia-h200/2026', '/etc'} do
  check("'" .. typed .. "' is no folder of results", 2,
    "'" .. typed .. "' is no folder of results: give DIR=", typed)
end
check('an empty one', 2, 'There is nothing in results/nvidia-h200/2020-01-01.',
  'results/nvidia-h200/2020-01-01')
test.ends('by make', 0, 'whole and honest', 'make results-check DIR="$1"', dir)
test.finish()
