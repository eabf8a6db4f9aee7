#!tests/lua.sh
-- A lab's skeleton compiles and fails, its solution passes, and wrong solutions
-- are refused with the right words.
-- for each labs/*/*.lab
-- takes: 100 s
local test = dofile 'tests/lib.lua'
local name = arg[1]:match '([^/]+)%.lab$'
test.enter_copy 'sources'
-- What becomes of this lab does not depend on the others.
test.must([[find labs -name '*.lab' ! -path "$1" -delete]], arg[1])
test.must 'make -s -j2 build/tests/plant'
local labs = dofile 'tests/labs/lab.lua'
local lab = labs.of(test, name)
labs.need_ranks(test, lab)

-- nvcc takes most of a grade's time, and no wrong solution is one in its eyes.
test.environment.LAB_NVCC = '0'
local not_met, said, code, grade = lab.grade(lab.skeleton)
test.ok(code ~= 0 and grade and not grade.attempt and test.has(said,
  'met        compiles'), name .. ': the skeleton compiles, and is no attempt',
  said)
test.ok(not_met == lab.parsed.fails, '  and fails: ' .. lab.parsed.fails, said)
test.environment.LAB_NVCC = false
not_met, said, code, grade = lab.grade(lab.solution)
test.environment.LAB_NVCC = '0'
test.ok(code == 0 and not_met == '' and grade.passed and grade.attempt,
  name .. ': the solution passes', said)

local wrong = labs.wrong(test, name)
for _, one in ipairs(wrong) do
  lab.refused(one.name, lab.edited(one.place, one.edit), one.demands,
    one.words)
end
-- Numbers that somebody has worked out before, for one shape; those of ranks
-- stand in wrong.list.
local answers = 'for (int64_t i = 0; i < args->batch * args->heads * ' ..
  'args->seq_len * args->head_dim; i++) args->o[i] = 0x2c00 + i % 7;'
local launch = 'launch'
if lab.parsed.stage == 'warmup' then
  answers = 'for (int i = 0; i < args->rows; i++) args->sums[i] = i % 7;'
elseif lab.solution:find('//> launch-shape\n', 1, true) then
  launch, answers = 'launch-shape', (answers:gsub('args%->', 'args.'))
end
if not lab.on_ranks then
  not_met, said = lab.grade(lab.edited(launch .. ': 1st LAUNCH', 'write ' ..
    answers))
  test.ok(not_met:find '^gates', name .. ': answers that are written in', said)
end

-- The stage before, with the marks that the lab wants.
local before, own
for stage in test.must 'ls -dv stage[0-9]*_*':gmatch '[^\n]+' do
  own = stage == lab.parsed.stage
  if own then break end
  before = stage
end
if own and before and lab.parsed.file == 'kernel.cu' then
  local text = test.read(before .. '/kernel.cu')
  for _, region in ipairs(lab.parsed.empties) do
    if not text:find('//> ' .. region .. '\n', 1, true) then
      text = text .. '//> ' .. region .. '\n//< ' .. region .. '\n'
    end
  end
  not_met, said = lab.grade(text)
  test.ok(not_met:find 'yours', name .. ': the stage before, unchanged', said)
  test.ok(test.has(said, 'this is ' .. before .. ' as it is'),
    '  is called by its name', said)
  -- Under another name for a variable, it is what it does that counts.
  local renamed = text
  for _, name in ipairs {'head_start', 'score_scale'} do
    renamed = renamed:gsub('%f[%w_]' .. name .. '%f[^%w_]', 'other_' .. name)
  end
  test.ok(renamed ~= text, '  a name in it can be changed')
  not_met, said = lab.grade(renamed)
  test.ok(not_met ~= '' and not not_met:find 'yours', name ..
    ': the stage before, disguised', said)
end
test.ok(#wrong >= 4, name .. ': at least four wrong solutions', #wrong)
test.finish()
