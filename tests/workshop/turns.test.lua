#!tests/lua.sh
-- One GPU for a class: who works on it waits for whoever does.
local test = dofile 'tests/lib.lua'
local alone = '"$1"/tools/make/alone.sh '
local root = test.folder
test.must('cp -R --parents tools/make "$1"', test.scratch)
test.folder = test.scratch
test.environment.GPU_LOCK = test.scratch .. '/lock'

test.ends('nobody is at work: no word, the exit code as it is', 7, 'done\n',
  alone .. 'sh -c "echo done; exit 7"', root)
test.must 'test -f lock'

-- Somebody holds the lock, and says when he has done.
local holds = 'flock lock sh -c "echo there >held; sleep 0.5; ' ..
  'echo end >>order" & while [ ! -s held ]; do sleep 0.05; done; '
local user = test.must 'id -un':gsub('%s', '')
local said = test.ends('somebody is: it says who', 0,
  'Waiting for the GPU: ' .. user .. ' is at work on it.\n',
  holds .. alone .. 'sh -c "echo mine >>order"; code=$?; wait; exit $code',
  root)
test.ok(test.read 'order' == 'end\nmine\n', 'and begins when he has ended',
  said)

test.must 'rm -f order'
test.ends('what the command leaves behind does not hold the GPU', 0, 'second',
  alone .. 'sh -c "sleep 5 >leftover 2>&1 & echo first"; timeout 3 ' .. alone ..
  'echo second', root)
test.environment.GPU_LOCK = test.scratch .. '/none/lock'
test.ends('a lock that cannot be: it says so, and goes on', 0,
  {'Nobody is kept from the GPU', 'done'}, alone .. 'echo done', root)

-- What works on a GPU goes this way, with programs that are made up.
test.environment.GPU_LOCK = test.scratch .. '/lock'
test.must 'rm -f held; mkdir -p build/gpu/stage0/default build/tools'
test.script('build/gpu/stage0/default/program',
  '[ "$1" = info ] && echo none || echo "program $*"\n')
test.script('build/tools/resources', 'echo none\n')
test.environment.COMMIT = 'abc'
test.must 'mkdir -p tools/peers tools/timeline tools/race'
for name, path in pairs {profile = 'build/tools/profile',
  peers = 'tools/peers/peers.sh', timeline = 'tools/timeline/timeline.sh'} do
  test.script(path, 'echo "program ' .. name .. '"\n')
end
test.script('tools/race/race.sh', 'echo "program race"\n')
for verb, words in pairs {check = 'check', race = 'race', profile = 'profile',
  bench = 'bench --commit abc --json results/none/', peers = 'peers',
  timeline = 'timeline'} do
  test.must 'rm -f held'
  test.ends('make ' .. verb .. ' waits as well', 0, {'is at work on it.\n',
    'program ' .. words}, holds .. 'PICKED=stage0 ARCH=90a ' ..
    'tools/make/run-verbs.sh ' .. verb .. " gpu stage0/default '' ''; " ..
    'code=$?; wait; exit $code')
end

-- So does the time that is part of a grade, and its limits do not wait with it.
test.must('cd "$1" && cp -R --parents tools/labs tools/setup ' ..
  'build/tools/limited "$2" && { [ ! -d .deps ] || ln -s "$PWD/.deps" "$2"; }',
  root, test.scratch)
test.write('timed.lua', [[print(dofile 'tools/labs/programs.lua'.run_alone(
  'log', 5, 'sh', '-c', 'echo timed >>order; exit 4'))]])
test.must 'rm -f held order'
test.ends("a lab's time waits as well", 0, {'is at work on it.\n', 'code\t4'},
  holds .. 'tools/setup/pandoc.sh lua timed.lua; code=$?; wait; exit $code')
test.ok(test.read 'order' == 'end\ntimed\n', 'and is taken then',
  test.read 'order')
test.finish()
