#!tests/lua.sh
-- Ctrl-C ends all that a command has started, and nothing is left in the folder
-- for temporary files.
-- takes: 15 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
local mark = test.scratch .. '/started'
local temporary = test.scratch .. '/tmp'
test.must('mkdir "$1" "$2"', temporary, test.scratch .. '/bin')
test.environment.TMPDIR = temporary
test.environment.MARK = mark
test.environment.CXX = false

-- A program that says that it runs, and does not end by itself.
local slow = test.scratch .. '/bin/slow'
test.script(slow, ': >"$MARK"\nexec sleep 60\n')

-- All that still runs and has got MARK, but for those that look.
local function alive()
  local list = {}
  local said = test.sh([[grep -lsz "^MARK=$1\$" /proc/[0-9]*/environ
    echo "me /proc/$$/environ"]], mark)
  local me = said:match 'me (%S+)'
  for path in said:gmatch '%f[^\n%z]/proc/%d+/environ' do
    local line = path ~= me and test.sh([[tr '\0' ' ' <"$1"]],
      (path:gsub('environ$', 'cmdline')))
    if line and line ~= '' and not line:find 'No such' and
        not line:find '^grep ' then
      list[#list + 1] = line
    end
  end
  return table.concat(list, '\n')
end

-- The terminal's signal to all of a command, once it runs.
local function interrupt(name, script, ...)
  local said
  for _, seconds in ipairs {2, 6, 18} do
    test.sh('rm -rf "$1" "$2"; mkdir "$2"', mark, temporary)
    -- timeout signals what it has started twice: that is sh.
    said = test.sh('timeout -s INT ' .. seconds .. [[ sh -c 'trap : INT
      "$@"' sh "$@"]], 'sh', '-c', script .. '; exit $?', 'sh', ...)
    if test.read(mark) then break end
  end
  test.ok(test.read(mark), name .. ': it ran', said)
  local left
  for _ = 1, 20 do
    left = alive()
    if left == '' then break end
    test.sh 'sleep 0.1'
  end
  test.ok(left == '', '  all of it has ended', left)
  local files = test.sh('ls -A "$1"', temporary)
  test.ok(files == '', '  no temporary file is left', files)
  return said
end

interrupt('a hash of a kernel', 'CXX="$1" tools/results/kernel-hash.sh ' ..
  'stage0_scalar', slow)
interrupt('a build', 'make build/tools/newest CC="$1"', slow)
test.ok(not test.read 'build/tools/newest', '  and nothing is half built')
test.script(test.scratch .. '/bin/git', ': >"$MARK"\nexec sleep 60\n')
test.script(test.scratch .. '/bin/diff', ': >"$MARK"\nexec sleep 60\n')
interrupt('the difference of two stages', 'PATH="$1:$PATH" make diff-stage1',
  test.scratch .. '/bin')
test.write('busy.lua', [[io.open(os.getenv 'MARK', 'w'):close()
  local stop = os.time() + 30
  while os.time() < stop do end]])
interrupt('pandoc, while its Lua runs',
  'tools/setup/pandoc.sh lua busy.lua')
test.script(test.scratch .. '/bin/chromium',
  ': >"$MARK"\nmkdir "$TMPDIR/helper"\nsleep 60 &\nexec sleep 60\n')
interrupt('the book', 'mkdir -p out; PATH="$1:$PATH" book/build.sh ' ..
  'tests/book/sample out/html', test.scratch .. '/bin')
local left = test.sh 'ls -A out'
test.ok(left == '' or left == 'cache\n', '  and no book that is half built',
  left)
test.write('torch.py', [[
import os, time
open(os.environ["MARK"], "w").close()
time.sleep(60)
]])
local said = interrupt('libraries beside the stages',
  'PYTHONPATH=. python3 tools/peers/peers.py have')
test.ok(not said:find 'Traceback', '  without a trace', said)
test.finish()
