#!tests/lua.sh
-- stage18_ring: its default cases on several ranks, checked and raced, all of
-- its planted mistakes, and all faults of ranks.
-- takes: 300 s
local test = dofile 'tests/lib.lua'
if select(2, test.sh 'command -v mpicc && command -v mpirun') ~= 0 then
  test.skip('ranks of the executor', 'MPI is not here; setup.sh cluster')
  test.finish()
end
test.enter_copy 'sources'
for _, case in ipairs {
  {'no exchange', 'ring, serial or all-gather, not', 'check EXCHANGE=none'},
  {'a shape', "'1,1,100' is no shape", 'check SHAPES=1,1,100'},
  {'a head dimension', 'takes 64 and 128', 'check SHAPES=1,1,100,96'},
  {'count', "'make stage17 count'", 'count'},
  {'a toggle', 'stage18_ring has no PROMOTE_KEYS', 'check PROMOTE_KEYS=0'},
  {'other arms', 'stage18_ring has no AGAINST', 'bench AGAINST=stage17'},
} do
  test.ends(case[1] .. ': a sentence', 2, case[2],
    'make stage18 TARGET=cpu ' .. case[3])
end
for _, ranks in ipairs {1, 2, 3, 4, 5} do
  test.ends('check on ' .. ranks, 0, {'passed', without = 'FAILED'},
    'make stage18 check TARGET=cpu RANKS=' .. ranks)
end
local said = test.sh 'make stage18 check RANKS=3 TARGET=cpu'
local shown = test.read('chapters/output/stage18-check.txt'):gsub('^[^\n]*', '')
test.ok(said .. '' == shown:sub(2), 'the chapter shows what it prints', said)
test.ends('race on 3', 0, {'at the end', without = 'gate'},
  'make stage18 race RANKS=3')
dofile 'tests/ring/faults.lua'(test, {'other shape', 'other build', 'dies',
  'the first dies', 'hangs'})
dofile 'tests/ring/planted.lua'(test, function() return true end)
test.finish()
