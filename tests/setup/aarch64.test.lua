#!tests/lua.sh
-- The libraries for aarch64 that setup.sh unpacks and downloads.sh carries,
-- with an apt-get and a dpkg-deb that are fake: each call to apt-get is a line
-- in the file "calls".
-- takes: 4 s
local test = dofile 'tests/setup/machine.lua'
local run, scratch = test.run, test.scratch
local pins, deps = 'tools/setup/pins.conf', test.folder .. '/.deps'
local setup = 'tools/setup/setup.sh aarch64'
local its, calls = deps .. '/aarch64/', scratch .. '/calls'
test.environment.scratch = scratch

test.fake_packages()
test.fake_toolkit(scratch .. '/cuda-13.0', '13.0')
test.environment.CUDA_HOME = scratch .. '/cuda-13.0'
test.own_programs 'du wc sha256sum mktemp'
test.fake('id', 'echo 1000\n')
test.fake('apt-cache', 'echo "  Candidate: 1.0"\n')
test.fake('dpkg-query', 'exit 1\n')
test.fake('aarch64-linux-gnu-g++', 'echo 99.1\n')
test.fake('qemu-aarch64-static', 'echo 99.1\n')
test.fake('dpkg-deb', [=[
case $1 in
-x) mkdir -p "$3/usr/lib" && cp "$2" "$3/usr/lib" ;;
-f) echo "Package: ${2##*/}" ;;
esac
]=])
-- One that has packages for aarch64 only where it is asked for these, and no
-- C library to offer where it is told that there is one.
test.fake('apt-get', [=[
echo "apt-get $*" >>"$scratch/calls"
[ ! -e "$scratch/error" ] || { cat "$scratch/error"; exit 100; }
folder='' status='' architecture=amd64 sources=/dev/null
for word in "$@"; do
  case $word in
  Dir::Cache::archives=*) folder=${word#*=} ;;
  Dir::State::status=*) status=${word#*=} ;;
  APT::Architecture=*) architecture=${word#*=} ;;
  Dir::Etc::SourceList=*) sources=${word#*=} ;;
  esac
done
# What is a file already it does not fetch.
! grep -q ' file:' "$sources" || exit 0
case $* in *--download-only*)
  echo gizmo >"$folder/gizmo_1_$architecture.deb"
  grep -q '^Package: libc6$' "$status" || echo c >"$folder/libc6_1_arm64.deb" ;;
esac
]=])
-- What the tests' environments need is not asked of this machine's pip.
test.fake('python3', [=[
case "$*" in
-) ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
esac
]=])
local function exists(path)
  return function() return test.read(path) ~= nil end
end
local function called(text)
  return function() return test.read(calls):find(text, 1, true) end
end
local function forget() test.write(calls, '') end

forget()
run('tools/doctor/doctor.sh', 'not here: what they are for',
  'MISSING its libraries for the executor for aarch64')
test.ok(not exists(its .. 'stamp')(), 'nothing is fetched unasked')
run(setup, 'a user who is not root: exit 0', 0,
  'those of that processor', exists(its .. 'usr/lib/gizmo_1_arm64.deb'),
  'the C library is the compiler\'s', function()
    return not exists(its .. 'usr/lib/libc6_1_arm64.deb')()
  end,
  'with a state of its own', called('Dir::State::status=' .. deps),
  'the pinned packages by name',
  called ' libjansson-dev libdw-dev libcmocka-dev\n',
  'only what is used is left', function()
    return test.must('cd "$1" && echo *', its) == 'stamp usr\n'
  end)
forget()
run(setup, 'the second run: one line', test.is 'Everything is here.',
  'the second run: nothing is fetched', function()
    return test.read(calls) == ''
  end)

test.edit(pins, 'libdw-dev 0.188', 'libdw-dev 0.190')
test.write(scratch .. '/error', 'E: Failed to fetch x\n')
run(setup, 'no network: exit 1', 1,
  'no network: says so', 'the network did not answer',
  'no network: what was here is here',
  exists(its .. 'usr/lib/gizmo_1_arm64.deb'),
  'no network: not taken for the new ones',
  'Missing or too old for aarch64: lib')
os.remove(scratch .. '/error')
run(setup, 'a changed pin: fetched anew', called ' libcmocka-dev\n',
  'a changed pin: exit 0', 0)

test.no_program 'aarch64-linux-gnu-g++'
run(setup, 'no compiler: exit 3', 3, 'no compiler: what to install',
  test.matches 'sudo apt%-get install [^\n]* g%+%+%-aarch64%-linux%-gnu\n')
test.fake('aarch64-linux-gnu-g++', 'echo 99.1\n')

-- ---- without a network ----

local stick = scratch .. '/stick'
run('tools/setup/downloads.sh ' .. stick .. ' core', 'unasked: not carried',
  function() return not exists(stick .. '/debs/gizmo_1_arm64.deb')() end)
run('tools/setup/downloads.sh ' .. stick .. ' aarch64', 'asked: exit 0', 0,
  'asked: carried', exists(stick .. '/debs/gizmo_1_arm64.deb'),
  'and in the index', function()
    return test.read(stick .. '/debs/Packages'):find 'gizmo_1_arm64.deb'
  end)
test.must('rm -rf "$1"', its)
forget()
run('OFFLINE=' .. stick .. ' ' .. setup, 'taken from there: exit 0', 0,
  'and from nowhere else', function()
    for _, line in ipairs(test.lines(test.read(calls))) do
      if not line:find('SourceList=' .. deps .. '/offline.list', 1, true) then
        return false
      end
    end
    return exists(its .. 'usr/lib/gizmo_1_arm64.deb')()
  end)
test.finish()
