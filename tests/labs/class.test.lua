#!tests/lua.sh
-- Of a lab that is drawn, one that has changed if any has: its skeleton fails
-- for the reason that the lab states, and its solution passes. All labs, and
-- wrong solutions of each: tests/more/labs.more.lua.
-- for each labs/*/*.lab
-- takes: 15 s
-- drawn: 1
local test = dofile 'tests/lib.lua'
local name = arg[1]:match '([^/]+)%.lab$'
test.environment.LAB_NVCC = '0'
test.enter_copy()
local labs = dofile 'tests/labs/lab.lua'
local lab = labs.of(test, name)
labs.need_ranks(test, lab)

local not_met, said, code, grade = lab.grade(lab.skeleton)
test.ok(code ~= 0 and grade and not grade.attempt and
  not_met == lab.parsed.fails, name .. ': the skeleton does not meet: ' ..
  lab.parsed.fails, said)
not_met, said, code, grade = lab.grade(lab.solution)
test.ok(code == 0 and not_met == '' and grade.passed and grade.attempt,
  name .. ': the solution passes', said)
test.finish()
