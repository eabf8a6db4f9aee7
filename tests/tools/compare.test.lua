#!tests/lua.sh
-- Two results beside each other: what compares, the gate, the page.
local test = dofile 'tests/lib.lua'
local tree = test.folder
local compare = tree .. '/build/tools/compare'
test.folder = test.scratch

-- A recorded result with these differences.
local function result(file, differences)
  local r = {
    stage = 'stage0_one', device = 'A', driver = '1', compiler = 'c',
    flags = 'nvcc -O3 -DX=1', shape = 'mission', dims = {1, 8, 512, 64},
    flush = false, passed = true, us = 20, noise = 0.5, long = 100,
    method = 'graph',
  }
  for key, value in pairs(differences or {}) do r[key] = value end
  test.write(file, pandoc.json.encode {
    build_meta = {
      schema_version = 1, stage = r.stage, arm = 'default', run = '1',
      compiler = r.compiler, flags = r.flags,
      device = {name = r.device, driver = r.driver, runtime = '13.0'},
    },
    perf = {
      [r.shape] = {
        shape = r.dims, flush_l2 = r.flush, causal = r.causal,
        kv_heads = r.kv_heads, event = {p50_us = 20, noise_us = 0.5},
        [r.method] = {p50_us = r.us, noise_us = r.noise},
      },
      long = {
        shape = {1, 8, 2048, 64}, flush_l2 = r.flush,
        event = {p50_us = r.long, noise_us = 0.5}, graph = pandoc.json.null,
      },
    },
    correctness = {all_passed = r.passed, cases = 9, failed = 0},
  })
end

local masked = {causal = true}
-- Name, exit code, text; the candidate's differences, options, the base's.
local cases = {
  {'twenty to ten', 0, '50.0 %     2.00x', {us = 10}},
  {'the average of both shapes', 0, 'average speed-up over 2 shapes: 1.41x\n' ..
    'gates: 9 cases passed in the base, 9 in the candidate', {us = 10}},
  {'within the noise of one', 0,
    'graph       20.00      19.60     0.50   no difference', {us = 19.6}},
  {'within the noise of the other', 0,
    'graph       20.00      19.00     1.50   no difference',
    {us = 19, noise = 1.5}},
  {'beyond the noise', 0, '5.0 %', {us = 19}},
  {'another device', 2, "name is 'A' in one and 'B'", {device = 'B'}},
  {'another driver', 2, "driver is '1' in one and '2'", {driver = '2'}},
  {'another compiler', 2, "compiler is 'c' in one and 'd'", {compiler = 'd'}},
  {'other flags', 2, 'flags is', {flags = 'nvcc -O2 -DX=1'}},
  {'another toggle is what an arm is', 0, 'no difference',
    {flags = 'nvcc -DX=0 -O3'}},
  {'another shape of that name', 2, "shape of mission is '[1,8,512,64]'",
    {dims = {1, 8, 512, 128}}},
  {'a mask in one of them', 2,
    "causal of mission is 'absent' in one and 'true'", masked},
  {'other K/V heads', 2, "kv_heads of mission is 'absent' in one and '2'",
    {kv_heads = 2}},
  {'a mask in both', 0, 'no difference', masked, {}, masked},
  {'one cold, one warm', 2, 'flush_l2 of long', {flush = true}},
  {'a wrong kernel', 2, 'stage0_one default has no passed gates',
    {passed = false}},
  {'a shape in one only', 0, 'small: timed in the candidate only',
    {shape = 'small'}},
  {'no graph in one', 0, 'event       20.00      20.00', {method = 'none'}},

  {'gate met', 0, '10.00 % at mission (graph), 10.00 % wanted: met', {us = 18},
    {'--gate=10'}},
  {'gate missed', 1, '9.50 % at mission (graph), 10.00 % wanted: missed',
    {us = 18.1}, {'--gate=10'}},
  {'a saving within the noise is none', 1, '0.00 % at mission', {us = 19.6},
    {'--gate=1'}},
  {'gate by events where there is no graph', 1, 'at mission (event)',
    {method = 'none'}, {'--gate=1'}},
  {'gate met, slower elsewhere', 1, 'regression: 1 row above is slower',
    {us = 10, long = 100.6}, {'--gate=10'}},
  {'slower within the noise is no regression', 0, 'met',
    {us = 10, long = 100.4}, {'--gate=10'}},
  {'without a gate a regression is only shown', 0, '-10.0 %', {us = 22}},
  {'a gate without mission', 2, 'not timed in both', {shape = 'small'},
    {'--gate=10'}},
  {'no number', 2, 'A gate is a percentage', {}, {'--gate=ten'}},
  {'a page says why there is no table', 0, 'do not compare: name',
    {device = 'B'}, {'--markdown'}},
  {'a page takes no wrong kernel', 2, 'no passed gates', {passed = false},
    {'--markdown'}},
}
for _, case in ipairs(cases) do
  local name, code, text, candidate, options, base = table.unpack(case)
  result('base.json', base)
  result('candidate.json', candidate)
  test.ends(name, code, text, compare .. ' "$@" base.json candidate.json',
    table.unpack(options or {}))
end

-- The page: neighbours by number, arms under their default, cold with cold.
local newest = 'results/device/2026-01-02/'
test.must('mkdir -p results/device/2026-01-01 ' .. newest)
for stage in ([[stage0_one stage1_two stage10_ten stage1_two.X-0
    stage1_two.cold stage1_two.X-0.cold stage2_lost.X-0]]):gmatch '%S+' do
  result(newest .. stage .. '.json', {stage = stage})
end
result 'results/device/2026-01-01/stage0_one.json'
test.write(newest .. 'stage0_one.count.json', '{}')
test.write(newest .. 'stage1_two.ncu.json', '{}')
local page = compare .. ' --page=results'
local at = 'results/COMPARE.md'
test.ends('the page is written', 0, '', page)
local first = test.read(at)
local headings = test.sh("grep '^##' " .. at)
test.ok(headings == [[
## device/2026-01-02
### stage1_two against stage0_one
### stage1_two against stage1_two X=0
### stage1_two, cold against stage1_two X=0, cold
### stage10_ten against stage1_two
]], 'it has each pair of neighbours once', headings)
test.must(page)
test.ok(test.read(at) == first, 'a second time it is the same')
test.write(newest .. 'stage0_one.json', '{')
local said, code = test.sh(page)
test.ok(code == 2 and test.read(at) == first and not test.read(at .. '.new'),
  'a file that is not JSON leaves the old page as it was', said)
test.must('rm -r ' .. newest)
test.ends('nothing recorded is an error that says what to do', 2, 'bench', page)

-- What a reader types.
test.folder = tree
test.enter_copy()
local make = 'make stage1 compare JSON=results/nvidia-h200/2026-11-21/stage1 '
said = '\n' .. test.ends('one stage against another and against its own arm',
  0, '', make .. 'AGAINST="stage0 USE_CP_ASYNC=0"')
test.ok(said:find '\nbase [^\n]*stage0_scalar default,' and
  said:find '\nbase [^\n]*USE_CP_ASYNC%-0,', 'the other is the base', said)
test.ends('GATE=10', 2, 'missed', make .. 'AGAINST=USE_CP_ASYNC=0 GATE=10')
said, code = test.sh 'make compare'
test.ok(code == 0 and test.read(at) == test.read(tree .. '/' .. at),
  'results/COMPARE.md is what the results say', said)
test.finish()
