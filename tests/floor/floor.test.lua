#!tests/lua.sh
-- make floor, as far as a machine without a GPU can tell: the kernels on the
-- executor, what their loops are made of, the model's command line.
-- takes: 60 s
local test = dofile 'tests/lib.lua'
local folder = test.scratch

local program = 'build/instrumented/floor/program check'
local said, code = test.sh(program)
test.ok(code == 0 and select(2, said:gsub('as in plain C\n', '')) == 25 and
  said:find '\n0 findings\n',
  'all kernels compute what plain C does, without a race', said)
local measure = 'build/cpu/floor/program '
test.ends('the executor times nothing', 3, "predicts no GPU's time",
  measure .. 'measure --json ' .. folder)
test.ok(not test.read(folder .. '/floor.json'), '  and writes nothing')
test.ends('a verb that is none', 2, 'Give one verb', measure .. 'run')
test.ends('no verb', 2, 'Give a verb', measure)
test.ends('no folder', 2, 'needs --json', measure .. 'measure')

-- What stage 14 computes, and what is measured of it, is the same text.
local function body(files, name)
  local text = '\n' .. test.must('cat ' .. files)
  local found = text:match('\n(__device__[^\n]* ' .. name .. '%(.-\n}\n)')
  return found and found:gsub(' inline', '')
end
for _, name in ipairs {'exp2_polynomial', 'narrow_four'} do
  local stage = body('stage14_overlap/kernel.cu', name)
  test.ok(stage and stage == body('floor/*.cu floor/*.cuh', name),
    name .. " is stage 14's", stage)
end

-- ---- the loops

local cuda = test.sh('tools/setup/cuda-home.sh 2>/dev/null'):match '[^\n]+'
local function compile(name, architecture, kernel)
  return test.ends(name, 0, '', cuda .. '/bin/nvcc -std=c++17 -O3 -I. ' ..
    '--objdir-as-tempdir -cubin -gencode arch=compute_$1,code=sm_$1 ' ..
    '-Xptxas -v -o "$3/$2.$1.cubin" floor/$2.cu', architecture, kernel, folder)
end
if not cuda or select(2, test.sh 'tools/setup/disassembler.sh') ~= 0 then
  test.skip('what the loops are made of', 'no nvcc or no nvdisasm; make setup')
else
  local compiled = {}
  for kernel, opcode, other, wanted in test.read 'tests/floor/loops.list'
      :gmatch '\n([%l_]+) (%S+) (%S+) (%d+)%f[\n]' do
    if not compiled[kernel] then
      said = compile(kernel .. '.cu compiles', '90a', kernel)
      test.ok(not said:find '[1-9]%d* bytes stack' and
        not said:find '[1-9]%d* bytes spill' and not said:find 'C75%d%d',
        '  without stack, spills, or products one by one', said)
      compiled[kernel] = true
    end
    other = other ~= '*' and other or nil
    local found = test.sh('build/tools/instructions loop "$@"',
      folder .. '/' .. kernel .. '.90a.cubin', opcode, other)
    test.ok(found == wanted .. '\n', string.format(
      '%s: %s %s in the loop of %s', kernel, wanted, other or 'instructions',
      opcode), found)
  end
  -- All that older GPUs run compiles for them, too.
  for path in test.sh("grep -L '^// architectures' floor/*.cu"):gmatch '%S+' do
    local kernel = path:match '/(.*)%.cu'
    compile(kernel .. '.cu compiles for compute capability 8.0', '80', kernel)
  end
end

-- ---- the model's command line

local made_up = 'tests/floor/made-up-floor.json'
local floor_model = 'build/tools/floor-model '
said = test.sh(floor_model .. made_up .. ' mission 10,1,10000,128')
test.ok(said == 'mission 1.839 launch\n10,1,10000,128 513 products\n',
  'a line a shape', said)
said = test.sh(floor_model .. '--json --tile 128,64,2 $1 mission', made_up)
local part = pandoc.json.decode(said, false).mission
test.ok(part.whole.rows == 128 and part.whole.busy == 32 and
  part.chain.groups == 2 and part.binding == 'launch',
  '--json has parts, whole tiles and the chain', said)

local function write(name, text)
  test.write(folder .. '/' .. name .. '.json', text)
end
write('cut', '{"build_meta"')
write('empty', '{"build_meta": {"schema_version": 1}}')
write('later', '{"build_meta": {"schema_version": 2}}')
write('list', '[1]')
for _, case in ipairs {
  {'no shape', 'Usage:', made_up},
  {'nothing', 'Usage:', ''},
  {'an unknown option', 'unrecognized option', '--all FLOOR mission'},
  {'a tile without its text', 'requires an argument', '--tile'},
} do
  said = test.ends(case[1], 2, case[2], floor_model .. case[3])
  test.ok(test.has(said, 'floor-model --help'), '  which says where help is',
    said)
end
for _, case in ipairs {
  {'an unknown shape', 2, "'huge' is no shape", 'huge'},
  {'S = 0', 2, 'must be at least 1', '1,8,0,64'},
  {'S = 2^31', 2, 'at most 2147483647', '1,8,2147483648,64'},
  {'a good shape, then a bad one', 2, 'is no shape', 'mission 1,8'},
  {'a bad tile', 2, 'is no tile', 'mission --tile 60,64'},
  {'no file', 1, 'Cannot read', 'mission', 'none'},
  {'a file cut off', 1, 'not valid JSON', 'mission', 'cut'},
  {'a result without figures', 1, 'has no figure launch/', 'mission', 'empty'},
  {'another schema', 1, 'schema version 2', 'mission', 'later'},
  {'a list', 1, 'is not a result', 'mission', 'list'},
} do
  local name, wanted, text, words, file = table.unpack(case)
  file = file and folder .. '/' .. file .. '.json' or made_up
  said = test.ends(name, wanted, text, floor_model .. file .. ' ' .. words)
  test.ok(#test.lines(said) == 1, '  in one sentence', said)
end

-- ---- what is shown

write('peers', pandoc.json.encode {
  build_meta = {schema_version = 1}, peers = {mission = {contenders = {
    stage14_overlap = {graph = {p50_us = 18.39}}, torch = {absent = 'no'}}}},
})
write('floor', test.read(made_up))
local show = 'floor/floor.sh show ' .. folder
said, code = test.sh(show .. ' 10,1,10000,128')
test.ok(code == 0 and test.has(said, {'No GPU was used',
  '\nMade-up GPU, 2026-01-02\n', '\nmission: floor 1.839 us, by launch; ',
  '\n10,1,10000,128: floor 513 us, by products; sustained 1025 us',
  without = 'torch'}) and said:find '\nex2, exponentials +4%.000 ' and
  said:find '\n  stage14_overlap +18%.39 us, the floor is +10%.0 %% of it\n',
  "a recorded run, with the stages' shares", said)
write('peers', '{"build_meta"')
test.ends('beside a peers.json that is cut off', 1, 'not valid JSON', show)
test.must('rm ' .. folder .. '/floor.json')
test.ends('nothing recorded', 3, 'needs a GPU, and no run of it', show)

-- ---- mistakes that the checks must see

test.enter_copy()
for _, case in ipairs {
  {'a read that leaves words out', 'memory.cu', 'sum += word[u].x + ',
    'sum += ', 'read is wrong'},
  {'no fence before the products', 'beside.cu', 'fence_async_proxy();', '',
    'no proxy fence'},
  {'a product less', 'tiles.cuh', 'k < PRODUCT_DEPTH / 32; k++', 'k < 3; k++',
    'wgmma_shared_96_random       FAILED'},
  {'codes of half of the scores', 'scores.cuh', 'r = j; r < j + 4; r += 2',
    'r = j; r < j + 2; r += 2', 'softmax                      FAILED'},
  {'a round too few of exponentials', 'exponentials.cu',
    'round = 0; round < rounds', 'round = 1; round < rounds',
    'ex2                          FAILED'},
} do
  local name, file, old, new, text = table.unpack(case)
  local right = test.read('floor/' .. file)
  test.edit('floor/' .. file, old, new)
  said, code = test.sh 'make LOCKED=1 build/instrumented/floor/program'
  if code == 0 then said, code = test.sh(program) end
  test.ok(code == 1 and test.has(said, text), 'seen: ' .. name, said)
  test.write('floor/' .. file, right)
end
test.finish()
