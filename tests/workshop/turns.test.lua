#!tests/lua.sh
-- One GPU for a class: who measures waits for whoever is measuring.
local test = dofile 'tests/lib.lua'
local alone = '"$1"/tools/make/alone.sh '
local root = test.folder
test.must('cp -R --parents tools/make "$1"', test.scratch)
test.folder = test.scratch
test.environment.GPU_LOCK = test.scratch .. '/lock'

test.ends('nobody is measuring: no word, the exit code as it is', 7, 'done\n',
  alone .. 'sh -c "echo done; exit 7"', root)
test.must 'test -f lock'

-- Somebody holds the lock, and says when he has done.
local holds = 'flock lock sh -c "echo there >held; sleep 1; ' ..
  'echo end >>order" & while [ ! -s held ]; do sleep 0.05; done; '
local user = test.must 'id -un':gsub('%s', '')
local said = test.ends('somebody is: it says who', 0,
  'Waiting for the GPU: ' .. user .. ' is measuring.\n',
  holds .. alone .. 'sh -c "echo mine >>order"; code=$?; wait; exit $code',
  root)
test.ok(test.read 'order' == 'end\nmine\n', 'and begins when he has ended',
  said)

test.must 'rm -f order'
test.ends('what the command leaves behind does not hold the GPU', 0, 'second',
  alone .. 'sh -c "sleep 5 >leftover 2>&1 & echo first"; timeout 3 ' .. alone ..
  'echo second', root)
test.environment.GPU_LOCK = test.scratch .. '/none/lock'
test.ends('a lock that cannot be: it says so, and measures', 0,
  {'Nobody is kept from measuring', 'done'}, alone .. 'echo done', root)

-- bench on a GPU goes this way, with programs that are made up.
test.environment.GPU_LOCK = test.scratch .. '/lock'
test.must 'rm -f held; mkdir -p build/gpu/stage0/default build/tools'
test.script('build/gpu/stage0/default/program',
  '[ "$1" = info ] && echo none || echo "program $*"\n')
test.script('build/tools/resources', 'echo none\n')
test.environment.COMMIT = 'abc'
test.ends('make bench waits as well', 0, {'is measuring.\nprogram bench ' ..
  '--commit abc --json results/none/'},
  holds .. "ARCH=90a tools/make/run-verbs.sh bench gpu stage0/default '' " ..
  "''; " .. 'code=$?; wait; exit $code')
test.finish()
