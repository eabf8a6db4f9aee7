#!tests/lua.sh
-- Setup without a network: what downloads.sh puts into a folder, and that
-- setup.sh takes all from there, with an apt-get and a pip that are fake: each
-- call to one of them is a line in the file "calls".
-- takes: 5 s
local test = dofile 'tests/setup/machine.lua'
local run, scratch, bin = test.run, test.scratch, test.environment.PATH
local downloads, setup = 'tools/setup/downloads.sh ', 'tools/setup/setup.sh '
local pins = test.read 'tools/setup/pins.conf'
local stick, deps = scratch .. '/a stick', test.folder .. '/.deps'
local calls = scratch .. '/calls'
test.environment.scratch = scratch

test.own_programs 'du wc sha256sum mktemp'
test.fake('id', 'echo 0\n')
test.fake('dpkg-deb', 'echo Package: "$(cat "$2")"\n')
test.fake('apt-cache', 'echo "  Candidate: 1.0"\n')
test.fake('apt-get', [=[
echo "apt-get $*" >>"$scratch/calls"
for word in "$@"; do
  case $word in Dir::Cache::archives=*) folder=${word#*=} ;; esac
done
[ ! -e "$scratch/apt-error" ] || { echo 'E: no such package'; exit 100; }
[ -z "${folder:-}" ] || echo gizmo >"$folder/gizmo_1_all.deb"
]=])
local pip = [=[
echo "pip $*" >>"$scratch/calls"
while [ $# -gt 0 ] && [ "$1" != -r ]; do shift; done
[ $# -eq 0 ] || sed 's/^/wanted /' "$2" >>"$scratch/calls"
exit 1
]=]
-- The pip that only fetches is content; the one of setup never is, here.
test.script(scratch .. '/environment', (pip:gsub('exit 1\n$', 'exit 0\n')))
test.fake('python3', [=[
case "$*" in
- | "-m pip --version") exit ;;
"-m venv "*)
  mkdir -p "$3/bin"
  cp "$scratch/environment" "$3/bin/python"
  exit ;;
esac
]=] .. pip)
local function called(text)
  return function() return test.read(calls):find(text, 1, true) end
end
local function forget() test.write(calls, '') end

-- ---- filling the folder ----

forget()
local quoted = "'" .. stick .. "'"
run(downloads .. quoted, 'a folder is filled: exit 0', 0,
  'it says what to type there', 'make setup OFFLINE=' .. stick,
  'as if nothing were installed there',
  called('status=' .. stick .. '/nothing'),
  "core's, the book's and the tests' packages", function()
    local said = test.read(calls)
    return said:find ' libjansson%-dev ' and said:find ' qpdf ' and
      said:find ' libcmocka%-dev ' and not said:find ' openmpi'
  end,
  'hashes are asked for', called '--require-hashes')
local wanted, missing = test.read(calls), {}
local machine = test.must 'uname -m':match '%S+'
for set, package, version, hashes in pins:gmatch('\nwheel (%l+) (%S+) (%S+)' ..
    '[^\n]*\n(sha256 [^\n]*\nsha256 [^\n]*)') do
  local hash = hashes:match('sha256 ' .. machine .. ' (%x+)') or '?'
  local line = 'wanted ' .. package .. '==' .. version .. ' --hash=sha256:' ..
    hash .. '\n'
  local is_there = wanted:find(line, 1, true) ~= nil
  if is_there == (set == 'model' or set == 'nccl') then
    table.insert(missing, line)
  end
end
test.ok(#missing == 0, 'each wheel with its hash, none of other groups',
  table.concat(missing))
test.ok(wanted:find '\nwanted playwright==' and
  wanted:find '\nwanted check%-jsonschema==', "the tests' Python packages")
local sum = test.must('sha256sum <"$1"/debs/gizmo_1_all.deb', stick)
test.ok(test.read(stick .. '/debs/Packages') == 'Package: gizmo\n' ..
  'Filename: ./gizmo_1_all.deb\nSize: 6\nSHA256: ' .. sum:match '%x+' .. '\n\n',
  'an index of the packages', test.read(stick .. '/debs/Packages'))
forget()
run(downloads .. quoted .. ' cluster', 'a group by its name', called ' openmpi',
  '  alone', function() return not called ' qpdf '() end)

run(downloads, 'no folder: exit 2', 2, 'no folder: a sentence', 'DIR=/media')
run(downloads .. quoted .. ' moon', 'a group that is none: exit 2', 2,
  'a group that is none: a sentence', "There is no group 'moon'")
run(downloads .. '/dev/null/x', 'no place to write: exit 1', 1,
  'no place to write: a sentence', '/dev/null/x cannot be written.')
test.write(scratch .. '/apt-error', '')
run(downloads .. quoted, 'apt-get fails: exit 1', 1,
  'apt-get fails: its words', "apt-get says 'E: no such package'")
os.remove(scratch .. '/apt-error')
os.rename(bin .. '/apt-get', bin .. '/apt-got')
run(downloads .. quoted, 'no Debian: exit 3', 3)
os.rename(bin .. '/apt-got', bin .. '/apt-get')

-- ---- taking from it ----

local offline = 'OFFLINE=' .. quoted .. ' '
forget()
run(offline .. setup, 'nothing of it can be installed: exit 1', 1,
  'the folder is blamed, not the network', function(said)
    return not said:find 'network'
  end,
  'pip looks nowhere else', called('install --no-index --find-links ' .. deps ..
    '/offline/wheels '),
  'nor does apt-get', called('Dir::Etc::SourceList=' .. deps ..
    '/offline.list -o Dir::Etc::SourceParts=- '))
test.ok(test.read(deps .. '/offline.list') == 'deb [trusted=yes] file:' .. deps
  .. '/offline/debs ./\n' and
  test.read(deps .. '/offline/machine') == test.read(stick .. '/machine'),
  'it is found under a path without blanks')
test.fake('id', 'echo 1000\n')
run(offline .. setup, 'an administrator gets the same source',
  'sudo apt-get -o Dir::Etc::SourceList=' .. deps .. '/offline.list')
run('OFFLINE=/nowhere ' .. setup, 'no such folder: exit 2', 2,
  'no such folder: a sentence', "OFFLINE is '/nowhere', which is no folder")
test.write(stick .. '/machine', 'amiga 3 m68k\n')
run(offline .. setup, 'a folder for other machines: exit 3', 3,
  'a folder for other machines: a sentence', 'holds is for amiga 3 m68k, and')
test.finish()
