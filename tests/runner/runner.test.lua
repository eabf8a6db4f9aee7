#!tests/lua.sh
-- The runner of the tests itself: a program that fails, dies, says nothing or
-- stops early is a failure, whatever runs beside it.
-- never kept: strace does not run under strace
-- takes: 30 s
local test = dofile 'tests/lib.lua'
local folder = test.scratch .. '/'

for name, body in pairs {
  good = 'echo "ok 1 - one"; echo "ok 2 - two # SKIP no such thing here"; ' ..
    'echo 1..2',
  bad = 'echo "ok 1 - one"; echo "not ok 2 - two"; ' ..
    'echo "#   what it saw"; echo 1..2; exit 1',
  short = 'echo "ok 1 - one"; echo 1..2',
  unplanned = 'echo "ok 1 - one"',
  silent = '',
  liar = 'echo "ok 1 - one"; echo 1..1; exit 5',
  killer = 'kill -9 $PPID',
  reader = '! read -r line && echo "ok 1 - nothing on its input"; echo 1..1',
} do
  test.script(folder .. name, body .. '\n')
end

-- Of programs, words in one text: the exit code, the last line, and a text
-- that is said.
local function runs(name, code, last, text, programs)
  local paths = programs:gsub('%S+', function(one) return folder .. one end)
  local said, got = test.sh('build/tests/run ' .. paths)
  test.ok(got == code and test.has(said, text) and
    ('\n' .. said):sub(-#last - 2) == '\n' .. last .. '\n', name, said)
end
for _, case in ipairs {
  {'a pass and a skip', 0, '1 passed, 0 failed, 1 skipped',
    'skipped two # SKIP no such thing here', 'good'},
  {'a failure, and what it saw', 1, '1 passed, 1 failed, 0 skipped',
    '#   what it saw', 'bad'},
  {'fewer tests than planned', 1, '1 passed, 1 failed, 0 skipped',
    'ran 1 tests of 2', 'short'},
  {'no plan', 1, '1 passed, 1 failed, 0 skipped', 'ran 1 tests of 0',
    'unplanned'},
  {'no tests', 1, '0 passed, 1 failed, 0 skipped', 'ran 0 tests of 0',
    'silent'},
  {'an exit code against its word', 1, '1 passed, 1 failed, 0 skipped',
    'exit code was 5', 'liar'},
  {'a program that is not there', 1, '0 passed, 1 failed, 0 skipped',
    'exit code 127', 'nowhere'},
  {'no program', 1, '0 passed, 0 failed, 0 skipped', '0 passed', ''},
  {'a runner that is killed', 1, '0 passed, 1 failed, 0 skipped',
    '1 of 1 programs gave no result', 'killer'},
  {'an empty input', 0, '1 passed, 0 failed, 0 skipped', 'passed', 'reader'},
  {'many at once', 1, '7 passed, 2 failed, 3 skipped', 'FAILED',
    'good reader good liar good reader bad'},
} do
  runs(table.unpack(case))
end

-- Each leaves a file while it runs, and looks for that of the other.
local meets = [[%s
cd "%s" && touch %s.runs; sleep 1
[ -e one.runs ] && [ -e other.runs ] && echo "ok 1 - both"
sleep 1; echo 1..1; rm %s.runs
]]
for name, header in pairs {one = '', other = '', alone = '# alone: timed'} do
  local mark = name == 'alone' and 'one' or name
  test.script(folder .. name .. '.sh', meets:format(header, folder, mark, mark))
end
test.environment.JOBS = 2
runs('two run side by side', 0, '2 passed, 0 failed, 0 skipped', 'passed',
  'one.sh other.sh')
local neither = '0 passed, 2 failed, 0 skipped'
runs('but not beside one that runs alone', 1, neither, 'ran 0 tests of 1',
  'alone.sh other.sh')
test.environment.JOBS = 1
for name, header in pairs {short = '', long = '# takes: 60 s'} do
  test.script(folder .. name .. '.sh', string.format(
    '%s\necho %s >>"%sorder"; echo "ok 1 - %s"; echo 1..1\n', header, name,
    folder, name))
end
runs('two that differ in length', 0, '2 passed, 0 failed, 0 skipped', 'passed',
  'short.sh long.sh')
test.ok(test.read(folder .. 'order') == 'long\nshort\n',
  '  the longer one runs first', test.read(folder .. 'order'))
test.must('mkdir "$1thing1" "$1thing2"', folder)
test.script(folder .. 'each.sh', '# for each ' .. folder ..
  'thing?\necho "ok 1 - $1"; [ -d "$1" ]; echo 1..1\n')
runs('a script that is run for each of two', 0, '2 passed, 0 failed, 0 skipped',
  'each.sh ' .. folder .. 'thing2: 1 in', 'each.sh')
test.write(folder .. 'thing1/other.mk', '')
test.script(folder .. 'some.sh', '# for each ' .. folder ..
  'thing? without other.mk\necho "ok 1 - $1"; echo 1..1\n')
runs('  or for those without a file', 0, '1 passed, 0 failed, 0 skipped',
  'some.sh ' .. folder .. 'thing2: 1 in', 'some.sh')
runs('  or for one of them', 0, '1 passed, 0 failed, 0 skipped', 'thing1',
  'each.sh thing1')
runs('nor where JOBS=1', 1, neither, 'ran 0 tests of 1', 'one.sh other.sh')

-- ---- what is drawn ----
local body = 'echo "ok 1 - $1"; echo 1..1\n'
test.must('mkdir "$1thing3"', folder)
test.script(folder .. 'few.sh', '# for each ' .. folder .. 'thing?\n' ..
  '# drawn: 1\n' .. body)
local function drawn(seed, options)
  local said = test.sh('SEED=' .. seed .. ' build/tests/run ' .. options ..
    ' ' .. folder .. 'few.sh')
  return said:match 'passed  %S+ %S+(thing%d)', said
end
local times, last = {thing1 = 0, thing2 = 0, thing3 = 0}
for seed = 1, 12 do
  local name, said = drawn(seed, '--draw')
  if said:find '\n1 passed, 0 failed, 2 skipped\n$' then
    times[name] = times[name] + 1
  end
  last = name
end
test.ok(times.thing1 > 0 and times.thing2 > 0 and times.thing3 > 0 and
  times.thing1 + times.thing2 + times.thing3 == 12,
  'a seed draws one of three, and each has its chance', last)
test.ok(drawn(12, '--draw') == last, '  the same one each time')
local _, said = drawn(1, '')
test.ok(said:find '3 passed, 0 failed, 0 skipped',
  '  unasked, none is left out', said)
_, said = drawn(1, '--draw')
test.ok(said:find 'skipped %S+few.sh %S+thing%d # SKIP not drawn by SEED=1; ' ..
  'make check%-more', '  each that is left out is named', said)

-- ---- outcomes that are kept ----
local _, no_strace = test.sh 'command -v strace'
if no_strace ~= 0 then
  test.skip('outcomes that are kept', 'strace is not installed; make setup')
  return test.finish()
end
test.environment.JOBS, test.environment.CI = false, false
-- A small tree: each file that the test copies is seen by strace.
local runner = test.must 'pwd -P':gsub('\n', '') .. '/build/tests/run'
test.enter_copy 'sources'
test.must('rm -rf chapters labs results stage* tests/more; ' ..
  'mkdir -p build/tests tests/kept; cp "$1" build/tests', runner)
local data = 'tests/kept/data'
test.script('tests/kept/reader.test.sh', [[
. tests/lib.sh
enter_sources "$(mktemp -d)"
grep -q good tests/kept/data
ok $? "the data is good"
skip "another" "none here"
finish
]])
test.write(data, 'good\n')
test.write('tests/kept/nobodys', 'other\n')
test.must "touch -d '1 hour ago' tests/kept/*"
-- The line of that test begins with this word.
local function again(name, word, setting)
  local said = test.sh((setting or '') ..
    ' build/tests/run tests/kept/reader.test.sh')
  test.ok(('\n' .. said):find('\n' .. word .. ' *tests/kept/reader.test.sh'),
    name, said)
  return said
end
again('run', 'passed')
said = again('kept', 'kept')
test.ok(said:find '1 passed, 0 failed, 1 skipped\n$' and
  said:find 'skipped another # SKIP none here', '  with its skips', said)
again('not where CI is set', 'passed', 'CI=true')
test.write('tests/kept/nobodys', 'another\n')
again('kept where a file changed that it did not read', 'kept')
test.write(data, 'good again\n')
again('run again where one changed that it read in a copy', 'passed')
test.write(data, 'bad\n')
again('a failure', 'FAILED')
again('is not kept', 'FAILED')

test.write(data, 'good\n')
test.must("touch -d '1 hour ago' " .. data)
local function recorded(name, code, text, option)
  test.ends(name, code, text, 'build/tests/run --records records ' ..
    (option or '') .. ' tests/kept/reader.test.sh')
end
recorded('a record is left', 0, 'passed  tests/kept/reader')
test.ok(test.read 'records/kept/reader.json', '  in its subject\'s folder')
recorded('and holds', 0, 'kept    tests/kept/reader')
recorded('  as check-all says', 0, 'ok 1 - tests/kept/reader.test.sh: 1 passed',
  '--look')
test.write(data, 'good again\n')
recorded('a stale one is skipped', 0,
  'SKIP stale: make check-more: tests/kept/data', '--look')
test.environment.RELEASE = 1
recorded('but not for a release', 1, 'not ok 1 - tests/kept/reader.test.sh',
  '--look')

-- Whose folder has changed comes before what a seed draws.
test.must [[
mkdir -p things/a things/b things/c && touch things/a/x things/b/x things/c/x
git init -q . && git add things && git -c user.name=n -c user.email=e@x \
  commit -q -m one && git -c user.name=n -c user.email=e@x \
  commit -q --allow-empty -m two]]
test.script('tests/kept/few.sh', '# for each things/*\n# drawn: 1\n' .. body)
test.script('tests/kept/files.sh', '# for each things/*/x\n# drawn: 1\n' ..
  body)
test.environment.RELEASE, test.environment.CI = false, 'true'
for _, changed in ipairs {'a', 'b', 'c'} do
  test.must('git checkout -q things && echo new >things/"$1"/x', changed)
  for seed = 1, 3 do
    test.ends('a changed one is drawn first', 0,
      'things/' .. changed .. ': 1 in',
      'SEED=' .. seed .. ' build/tests/run --draw tests/kept/few.sh')
    test.ends('  also where it is a file', 0,
      'things/' .. changed .. '/x: 1 in',
      'SEED=' .. seed .. ' build/tests/run --draw tests/kept/files.sh')
  end
end
test.finish()
