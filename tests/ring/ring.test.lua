#!tests/lua.sh
-- stage18_ring on ranks of the CPU executor: it passes, what it says where it
-- cannot, faults of ranks, and one of the mistakes of planted.list; check-more
-- plants them all.
-- takes: 12 s
local test = dofile 'tests/lib.lua'
local _, absent = test.sh 'command -v mpicc && command -v mpirun'
test.enter_copy()

-- ---- where MPI is missing ----

test.must([[mkdir "$1" && for f in /usr/bin/*; do
  case ${f##*/} in mpi*) ;; *) ln -s "$f" "$1" ;; esac
done; ln -sf /bin/* "$1" 2>/dev/null; rm -f "$1"/mpi*]], test.scratch .. '/bin')
local said = test.ends('without MPI: a sentence', 2,
  "needs MPI (mpicc and mpirun): 'tools/setup/setup.sh cluster'",
  'PATH="$1" make stage18 check RANKS=3 TARGET=cpu', test.scratch .. '/bin')
test.ok(test.has(said, 'Error 3'), '  exit 3', said)
said = test.ends('and for a lab', 2, "needs MPI (mpicc and mpirun): ",
  'PATH="$1" make lab18 grade MINE="$1"', test.scratch .. '/bin')
test.ok(test.has(said, 'Error 3'), '  exit 3', said)
if absent ~= 0 then
  test.skip('ranks of the executor', 'MPI is not here; setup.sh cluster')
  test.finish()
end

-- ---- what passes ----

said = test.ends('three ranks, by each exchange', 0,
  {'on 3 ranks, CPU executor, exchange: ring', 'exchange: serial',
    'exchange: all-gather', '1,2:1,97,64,causal     1', without = 'FAILED'},
  [[make stage18 check RANKS=3 TARGET=cpu SHAPES="1,2:1,97,64,causal" \
    DISTRIBUTIONS=large-logits]])
test.ends('one rank, and a sample of its rows', 0,
  {'on 1 rank,', '16 rows sampled', without = 'FAILED'}, [[
  make stage18 check RANKS=1 TARGET=cpu SHAPES="1,1,70,64" SAMPLE=16]])

-- ---- what it says ----

for _, case in ipairs {
  {'too few ranks', 2, 'RANKS is how many ranks', 'check RANKS=0'},
  {'bench', 3, 'bench needs GPUs', 'bench'},
} do
  local name, code, words, goal = table.unpack(case)
  said = test.ends(name .. ': a sentence', 2, words,
    'make stage18 TARGET=cpu ' .. goal)
  test.ok(test.has(said, 'Error ' .. code), '  exit ' .. code, said)
end

-- ---- faults ----

dofile 'tests/ring/faults.lua'(test, {'other shape', 'dies'})

-- ---- mistakes ----

dofile 'tests/ring/planted.lua'(test, function(number)
  return number == 1
end)
test.finish()
