#!tests/lua.sh
-- The goals as a reader types them, in a copy of the tree: what they print, the
-- sentence for each wrong input, and what they leave behind.
-- takes: 25 s
local test = dofile 'tests/lib.lua'
test.enter_copy()

-- Each: a name, the exit code, a text that is printed, and what is typed.
local function try(cases)
  for _, case in ipairs(cases) do test.ends(table.unpack(case)) end
end

try {
  {'make alone lists the goals', 0, 'make stage1 bench', 'make'},
  {'make stage1 builds', 0, 'built build/cpu/stage1_cp_async',
    'make stage1 TARGET=cpu'},
  {'stage1 bench, two goals in one command', 0, 'no timings',
    'make stage1 bench TARGET=cpu SHAPES=small'},
  {'bench leaves a result', 0, '"kernel_hash"',
    'cat results/cpu-executor/*/stage1_cp_async.count.json'},
  {'stages and a verb under -j', 0, 'stage0_scalar on CPU executor',
    'make -j stage0 stage1 check TARGET=cpu SHAPES=small SEEDS="0 1"'},
  {'a toggle', 0, 'USE_CP_ASYNC=0 LOAD_BYTES=16',
    'make stage1 check TARGET=cpu USE_CP_ASYNC=0 SHAPES=small'},
  {'two toggles and DEBUG_PRINT', 0, 'keys from 0: m',
    'make stage1 check TARGET=cpu DEBUG_PRINT=1 SHAPES=small SEEDS=0'},
  {'the difference between stages', 0, 'wmma::mma_sync', 'make diff-stage1'},
  {'the first stage has none', 2, 'first stage', 'make diff-stage0'},
  {'a full folder name', 0, 'built', 'make stage0_scalar TARGET=cpu'},
  {'unknown stage', 2, 'There is no stage99; the stages here:', 'make stage99'},
  {'unknown verb', 2, "There is no goal 'bnech'", 'make stage1 bnech'},
  {'unknown toggle', 2, "stage1_cp_async has no toggle 'USE_CPASYNC'; it has:",
    'make stage1 bench USE_CPASYNC=0'},
  {'toggle of another stage', 2, "stage0_scalar has no toggle 'USE_CP_ASYNC'",
    'make stage0 check USE_CP_ASYNC=0'},
  {'toggle value', 2, "USE_CP_ASYNC of stage1_cp_async cannot be '2'",
    'make stage1 check USE_CP_ASYNC=2'},
  {'a toggle in the environment', 2, 'The environment sets USE_CP_ASYNC, which',
    'USE_CP_ASYNC=0 make stage1 check'},
  {'target', 2, 'TARGET is gpu or cpu', 'make stage1 check TARGET=tpu'},
}

local program = 'build/cpu/stage1_cp_async/default/program '
for _, case in ipairs {
  {'missoin', 'is no shape'}, {'1,8,512', 'is no shape'},
  {'0,8,512,64', 'at least 1'}, {'1,8,-4,64', 'at least 1'},
  {'1,8,2147483648,64', 'too large'}, {'65535,65535,2147483647,64', 'elements'},
  {'1,8,abc,64', 'is no shape'}, {'1,70000,64,64', '65535'},
} do
  test.ends('shape ' .. case[1], 2, case[2], program .. 'check --shape "$1"',
    case[1])
end
for _, number in ipairs {'0', '-1', '1025', 'many', '2x'} do
  test.ends(number .. ' multiprocessors', 2, "from 1 to 1024, not '" .. number,
    'make stage1 race TARGET=cpu MULTIPROCESSORS=' .. number)
end
local count = 'build/instrumented/stage0_scalar/default/program count ' ..
  '--shape small --json '
local full = 'full/stage0_scalar.count.json'
test.must 'mkdir full'
test.write(full, 'old\n')
try {
  {'shape 1,8,64,128, which the stage does not take', 3, 'takes D = 64',
    program .. 'check --shape 1,8,64,128'},
  {'too much memory', 3, 'GiB', program .. 'check --shape 64,64,1048576,64'},
  {'seeds', 2, 'A seed must be', program .. 'check --seeds 0,x'},
  {'iters', 2, '--iters must be', program .. 'bench --iters 3'},
  {'distribution', 2, "There is no distribution 'uniform'",
    program .. 'check --distribution uniform'},
  {'verb of the program', 2, "There is no verb 'benhc'", program .. 'benhc'},
  {'target of the program', 3, 'built for the cpu',
    program .. 'check --target gpu'},
  {'bench without a GPU', 3, "predicts no GPU's time", program .. 'bench'},
  {'count without instrumentation', 3, 'without instrumentation',
    program .. 'count'},
  {'help', 0, 'Exit status: 0 pass', program .. '--help'},
  {'results folder cannot be made', 3, 'Cannot write /proc/x',
    count .. '/proc/x'},
  -- A file may grow to one block: as on a full disk, writing fails half-way.
  {'disk full', 3, 'Cannot write ' .. full,
    "trap '' XFSZ; ulimit -f 1; exec " .. count .. 'full'},
}
test.ends('the old result is whole, and nothing lies beside it', 0, '',
  '[ "$(cat full/*)" = old ] && [ "$(ls -A full)" = stage0_scalar.count.json ]')

local function result(version, device, stage, p50)
  return string.format([[
{"build_meta": {"schema_version": %d, "device": {"name": "%s", "driver": "1"},
   "stage": "%s", "arm": "x", "compiler": "c"},
 "correctness": {"all_passed": true},
 "perf": {"small": {"event": {"p50_us": %.1f, "noise_us": 0.5}}}}]],
    version, device, stage, p50)
end
local one, folder = 'stage1_cp_async', 'results/a/2026-01-01/'
-- The recorded runs, which compare would find, are gone.
test.must('rm -rf results; mkdir -p ' .. folder)
test.write(folder .. 'stage0_scalar.json', result(1, 'A', 'stage0_scalar', 20))
for _, case in ipairs {
  {'compare', 0, '50.0 %     2.00x', result(1, 'A', one, 10)},
  {'compare within the noise', 0, 'no difference', result(1, 'A', one, 20.4)},
  {'compare two devices', 2, 'do not compare: name', result(1, 'B', one, 10)},
  {'another schema version', 2, 'schema version 9', result(9, 'A', one, 10)},
  {'a truncated result', 2, 'not valid JSON: line',
    result(1, 'A', one, 10):sub(1, 60)},
  {'not JSON', 2, 'not valid JSON: line 1', 'hello\n'},
} do
  test.write(folder .. one .. '.json', case[4])
  test.ends(case[1], case[2], case[3], 'make stage0 stage1 compare')
end
test.ends('compare one stage', 2, 'needs two stages', 'make stage1 compare')
test.must 'rm -r results/a'

local _, no_gpu = test.sh 'nvidia-smi -L'
if no_gpu == 0 then
  test.skip('TARGET=gpu without a GPU', 'there is a GPU here')
else
  test.ends('TARGET=gpu without a GPU', 2, 'No NVIDIA',
    'make stage0 check TARGET=gpu')
end
test.must 'rm -f .deps' -- a link to the toolkit that setup installed
test.ends('no headers', 2, 'make setup', [[
CUDA_HOME=/none PATH=/usr/bin:/bin make stage0 TARGET=cpu CUDA_HOME=/none]])
test.must([[mkdir "$1"; for tool in sh env make find sort sed awk grep tr cut \
  dirname basename cat head mkdir rm mv cp flock true date uname test bash ls wc
do ln -s "$(command -v $tool)" "$1/$tool" || :; done]], test.scratch .. '/few')
test.ends('no pandoc', 2, 'pandoc', 'PATH=$1 make book', test.scratch .. '/few')

-- Two makes at once in one tree: the second waits for the first.
test.ends('two makes at once', 0, '', [[rm -rf build/cpu/stage0_scalar
make stage0 TARGET=cpu & make stage0 TARGET=cpu
first=$?; wait $! && [ $first -eq 0 ] ]])

-- In a tree where nothing is built: what would be done, and that it is not.
local copy = test.folder
test.must('. tests/lib.sh; copy_sources "$1"', test.scratch .. '/fresh')
test.folder = test.scratch .. '/fresh'
local said = test.ends('make -n in a fresh tree', 0,
  "run-verbs.sh 'check' 'cpu' 'stage1_cp_async/",
  'make -n stage1 check TARGET=cpu')
test.ok(not said:find 'Error' and not said:find 'Waiting',
  '  without a word of errors or locks', said)
try {
  {'make -n with a toggle', 0, "'stage1_cp_async/USE_CP_ASYNC-0'",
    'make -n stage1 check TARGET=cpu USE_CP_ASYNC=0'},
  {'make -n of no goal', 0, 'tools/make/help.sh', 'make -n'},
}
local word, code = test.sh 'make -q stage1'
test.ok(word == '' and code == 1,
  'make -q in a fresh tree: exit 1, without a word', word)
test.ends('neither builds or locks anything', 0, '',
  '[ ! -e build/cpu ] && [ ! -e build/.lock ]')
test.folder = copy

-- A tree that was built before its files moved.
test.write('build/tools/compare.d', 'build/tools/compare: tools/compare.c\n')
test.write('build/cpu/harness/results.o', '')
local build = 'make build/tools/compare'
test.ends('what was built before files moved is built anew', 0, 'is built anew',
  build)
test.ends('  all of it', 0, '',
  '[ ! -e build/cpu/harness/results.o ] && [ -x build/tools/compare ]')
said, code = test.sh(build)
test.ok(code == 0 and not said:find 'built anew', '  and once', said)

-- One digit of a scale makes check fail.
test.edit('stage0_scalar/kernel.cu', 'args.q_scale[head] *',
  '1.01f * args.q_scale[head] *')
test.ends('a scale that is one percent off fails check', 2, 'rel_rms',
  'make stage0 check TARGET=cpu SHAPES=small')

-- A kernel that ends the device: its own words, and no machine's.
test.edit('stage0_scalar/kernel.cu', '1.01f * args.q_scale[head] *',
  'args.q_scale[head] *')
test.edit('stage0_scalar/kernel.cu', '//< kernel-begin\n',
  '  if (args.seq_len > 32) __trap();\n//< kernel-begin\n')
test.ends('a kernel that stops fails check, and says so once', 2, {
  'small               18 ', 'FAILED mission, normal inputs, seed 0',
  'The kernel failed: ', '19 of 36 cases run: after such a failure nothing ' ..
  'else can.', without = 'brought to the device'},
  "make stage0 check TARGET=cpu SHAPES='small mission'")
test.finish()
