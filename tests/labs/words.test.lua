#!tests/lua.sh
-- Where a grade points to, and in which words.
local test = dofile 'tests/lib.lua'
local count = dofile 'tools/labs/count.lua'
local demands = dofile 'tools/labs/demands.lua'
local programs = dofile 'tools/labs/programs.lua'
local here = test.scratch .. '/'

local function says(what, said, wanted)
  test.ok(said == wanted, what .. ': ' .. wanted, said)
end

-- ---- the line with the most bank conflicts ----

test.write(here .. 'book.cu', 'copy();\nload();\n')
test.write(here .. 'mine.cu', '\n// mine\nload();\ncopy();\nload_badly();\n')
-- What is counted of a file: line, wavefronts, and how many would be ideal.
local function counted(file, ...)
  local lines = {}
  for _, one in ipairs {...} do
    lines[#lines + 1] = {file = here .. file, line = one[1], counters =
      {shared_wavefronts = one[2], shared_wavefronts_ideal = one[3]}}
  end
  return {lines = lines}
end
local book = counted('book.cu', {1, 3000, 1000}, {2, 10, 10})
local function worst(...)
  return count.worst_line(counted('mine.cu', ...), book, 'shared_wavefronts')
end
says('conflicts of one line', worst({3, 10, 10}, {5, 1500, 100}),
  '; 1,400 conflicts in line 5')
says("  beside more of the book's own",
  worst({4, 3000, 1000}, {5, 1500, 100}), '; 1,400 conflicts in line 5')
says('a line that the book has, with more of them', worst({4, 9000, 1000}),
  '; 8,000 conflicts in line 4')
says("the book's conflicts alone", worst({3, 99, 99}, {4, 3000, 1000}), '')
says('a counter of other things', count.worst_line(counted('mine.cu',
  {5, 9, 1}), book, 'shared_loads'), '')

-- ---- where a counter is looked up ----

local function look(empties, of_ranks)
  return count.look({name = 'lab9', count = 'small', empties = empties,
    mine = 'plan.c'}, {attempt_counts = of_ranks})
end
says('a kernel', look({'p-times-v'}), 'make lab9 count SHAPES=small')
says('ranks, which have no count', look({'blocks'}, true),
  'the region blocks in plan.c')
says('  with two regions', look({'zigzag', 'blocks'}, true),
  'the regions zigzag, blocks in plan.c')

-- ---- what the gates say of a case ----

local function gate(verdict, figure, limit)
  return {verdict = verdict, figure = figure, limit = limit}
end
says('outputs that are no numbers', demands.gate_words {gates = {
  finite = gate('failed', 2048, 0), rel_rms = gate('failed', nil, 0.5),
  pct_bad = gate('failed', 100, 1)}}, '2048 outputs are infinite or no number')
says('numbers that are wrong', demands.gate_words {gates = {
  finite = gate('passed', 0, 0), rel_rms = gate('failed', 0.75, 0.5),
  pct_bad = gate('passed', 0, 1), signed_mean = gate('failed', 3, 2)}},
  'rel_rms 0.75, at most 0.5; signed_mean 3, at most 2')

says('sums that drift', demands.drift_words('FAILED: drifts 0.94 at 2,048 ' ..
  'keys, more than 0.025, and stage_support does not say DRIFTS'),
  'drifts 0.94 at 2,048 keys, more than 0.025')
says('sums that could not be judged', demands.drift_words(
  'FAILED: no drift was measured at 2,048 keys. '),
  'no drift was measured at 2,048 keys')
says('sums that do not', demands.drift_words('does not drift: 0.0082 at 2,048 '
  .. 'keys'), 'does not drift: 0.0082 at 2,048 keys')

-- ---- the first finding of a race check ----

test.write(here .. 'log', [[
small: 2 findings
race: a read after a write
  here  mine/lab8/kernel.cu:279, thread 0
        codes = all[i] + 1;
  there mine/lab8/kernel.cu:354, thread 216
        all[i] = 1;
  first in block (0, 0, 0), at dynamic shared memory + 32768
race: two lanes write to one address at once
  here  mine/lab8/kernel.cu:349, thread 67
2 findings
]])
says('a finding', demands.first_finding(here .. 'log'),
  'race: a read after a write, kernel.cu:279, kernel.cu:354')
test.write(here .. 'log', 'small: 0 findings\n')
says('none', demands.first_finding(here .. 'log'), '')
test.ok(not demands.wrong_without_race(here .. 'log'), '  and no gate failed')
test.write(here .. 'log', [[
stage18_ring on 3 ranks: messages that come at once
small: 0 findings
stage18_ring on 3 ranks: messages that come at the end
odd, ring: 0 findings, and a gate failed
]])
says('ranks whose output is wrong', demands.wrong_without_race(here .. 'log'),
  'no race, but a gate failed at odd, ring, messages that come at the end')

-- ---- what a compiler says ----

test.write(here .. 'log', [[
build/labs/lab7/kernel.cu(9): warning #177-D: variable "x" is unused
build/labs/lab7/kernel.cu(99): error: calling a __host__ function
1 error detected in the compilation of "build/labs/lab7/kernel.cu".
make: *** [tools/make/architectures.mk:44: sm_90a.cubin] Error 1
]])
says('the first error', programs.build_error(here .. 'log'),
  'build/labs/lab7/kernel.cu(99): error: calling a __host__ function')
test.write(here .. 'log', 'lab10 needs more\nmake: *** [need] Error 3\n')
says('no error', programs.build_error(here .. 'log'), 'lab10 needs more')
test.finish()
