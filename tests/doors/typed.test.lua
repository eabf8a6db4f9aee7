#!tests/lua.sh
-- What a reader types after make is data, whatever signs are in it; and what
-- contradicts itself gets a sentence before anything is built.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
test.enter_copy()

-- make with these words ends with 2 and says this; nothing in them is run.
local function refused(name, text, ...)
  local said, code = test.sh('make stage1 TARGET=cpu "$@"', ...)
  test.ok(code == 2 and said:find(text, 1, true) and not test.read 'hacked',
    name, said)
  return said
end

for _, sign in ipairs {"'", ';>hacked', '$(shell>hacked)', '`id`', '*',
    '"'} do
  refused('SHAPES with ' .. sign, "'small" .. sign .. "' is no shape",
    'check', 'SHAPES=small' .. sign)
end
refused('SEEDS', "not '0;'", 'check', "SEEDS=0;'")
refused('ITERS', "not '9;>hacked'", 'check', 'ITERS=9;>hacked')
refused('ORDER', "not '''", 'check', "ORDER='")
refused('DISTRIBUTIONS', "no distribution ';'", 'check', 'DISTRIBUTIONS=;')
refused('a toggle', "cannot be '0;>hacked'", 'check', 'USE_CP_ASYNC=0;>hacked')
refused('a toggle with a dollar', 'USE_CP_ASYNC of stage1_cp_async cannot be',
  'check', 'USE_CP_ASYNC=$(shell >hacked)')
refused('AGAINST', 'names stage0;>hacked, which is no stage', 'compare',
  'AGAINST=stage0;>hacked')
refused('AGAINST with a quote', "has no toggle 'X''", 'compare', "AGAINST=X'")
refused('ARCH', "not '90a;>hacked'", 'resources', 'ARCH=90a;>hacked')
refused('TARGET', "not 'cpu;'", 'check', 'TARGET=cpu;')
refused('a goal', 'There is no goal with a ; in its name', 'x;>hacked')

for _, name in ipairs {"it's", ';>hacked', 'a b', '$(shell >hacked)', '`id`'} do
  local said, code = test.sh('make stage0 count SHAPES=1,1,1,64 "$@"',
    'JSON=' .. name)
  test.ok(code == 0 and test.json(name .. '/stage0_scalar.count.json') and
    not test.read 'hacked', 'JSON=' .. name .. ' is a folder', said)
end

local function against(name, text, arms)
  refused(name, text, 'compare', 'AGAINST=' .. arms)
end
against('a stage against itself', 'AGAINST names stage1_cp_async/default, ' ..
  'which is what it is to be compared with', 'stage0 stage1')
against('also in other words', 'AGAINST names stage1_cp_async/default',
  'USE_CP_ASYNC=1')
against('a stage that is none',
  'AGAINST names stage99, which is no stage; the stages here: stage0_scalar',
  'stage99')
against('all stages', "has no toggle '%'", '%')
against('two values for one toggle',
  'USE_CP_ASYNC is to be 0 and 1: give it one value.',
  'stage1:USE_CP_ASYNC=0,USE_CP_ASYNC=1')
against('toggles that the kernel rules out',
  'USE_CP_ASYNC=1 copies 16 bytes at a time: it needs LOAD_BYTES=16',
  'LOAD_BYTES=1')
local said = refused('the same of the arm itself', 'it needs LOAD_BYTES=16',
  'check', 'LOAD_BYTES=1')
test.ok(not said:find 'building', '  before anything is built', said)
test.ends('of two stages each meets the other alone', 0,
  'candidate  stage1_cp_async default', 'make stage0 stage1 compare ' ..
  'AGAINST=stage0 JSON=' ..
  test.read 'chapters/book.yaml':match '\nresults: (%S+)')
test.finish()
