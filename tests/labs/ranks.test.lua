#!tests/lua.sh
-- Labs of a stage that runs on several ranks: whose file is laid out and kept,
-- what is said of ranks, and which names its C file may have. What its grade
-- refuses: tests/more/labs.more.lua; where MPI is missing: tests/ring.
-- takes: 5 s
local test = dofile 'tests/lib.lua'
local admit = dofile 'tools/labs/admit.lua'
local mine = test.scratch .. '/mine'
local plan = mine .. '/lab18b/plan.c'
for name in ('MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES RANKS'):gmatch '%S+' do
  test.environment[name] = false
end
test.environment.LOCKED = '1'
test.environment.MINE = mine
local function lab(verb) return 'tools/labs/lab.lua ' .. verb .. ' lab18b' end

test.ends('a hint before anything names the file', 2, 'There is no ' .. plan ..
  " yet: 'make lab18b' lays it out.", lab 'hint')
test.ends('watch as well', 2, 'There is no ' .. plan,
  'tools/labs/watch.sh lab18b')
test.ends('make lab18b says the task', 0, {'lab18b: the zigzag. 40 minutes, ' ..
  'from stage18_ring.', 'Yours: the regions zigzag, blocks in ' .. plan .. '.',
  'Then: make lab18b check, race; make lab18b grade.'}, 'make lab18b')
local skeleton = test.read(plan) or ''
test.ok(test.has(skeleton, {'//> zigzag\n// Yours: make lab18b says',
  'int plan_source(', without = '2 * plan->ranks - 1'}),
  'and lays out a C file with holes', skeleton)
test.append(plan, '// mine\n')
test.ends('once more leaves it alone', 0, plan .. ' is there already',
  lab 'lay-out')
test.ok(test.read(plan) == skeleton .. '// mine\n', '  every byte')
test.write(mine .. '/lab18b/grade.json', '{"attempt": true}\n')
test.ends('the solution is a difference', 0, {'--- ' .. plan, '-// mine',
  '+  const int64_t c = which == 0 ? rank : 2 * plan->ranks - 1 - rank;'},
  lab 'solution')
test.ends('reset keeps what was there', 0, 'what was there is ' .. plan ..
  '.1.', lab 'reset')
test.ok(test.read(plan) == skeleton and test.read(plan .. '.1') == skeleton ..
  '// mine\n', '  whole')

for _, ranks in ipairs {'1', '9', '3.5', 'all'} do
  test.ends('RANKS=' .. ranks, 2, "RANKS is 2 to 8 for a lab, not '" .. ranks ..
    "'.", 'RANKS=' .. ranks .. ' tools/labs/grade.lua lab18b')
end
test.ends('a toggle', 2, 'stage18_ring has no USE_IT',
  'make lab18b check USE_IT=1')

-- ---- what is not run ----

test.write(test.scratch .. '/book.c', [[
#include <math.h>
float shared(float x); float shared(float x) { return log1pf(x); }]])
test.write(test.scratch .. '/own.c', [[
#include <math.h>
float shared(float x); float shared(float x) { return log1pf(x); }
float other(float x); float other(float x) { return x; }]])
test.must('cd "$1" && gcc -O1 -c book.c own.c', test.scratch)
local own, book = test.scratch .. '/own.o', test.scratch .. '/book.o'
test.ok(not admit.fault(book, 0, book), "the names of the book's C file")
local fault = admit.fault(own, 0, book)
test.ok(fault == "defines other, a name that is not a kernel's to give",
  '  and no others', fault)
test.ok(admit.fault(book, 0), '  and in no lab without that file')
test.finish()
