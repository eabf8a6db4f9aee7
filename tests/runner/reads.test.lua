#!tests/lua.sh
-- What a test has read, by the lines of strace: also where calls of several
-- processes overlap, so that each takes two lines.
-- never kept: strace does not run under strace
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
local root = test.must 'pwd -P':gsub('\n', '')

local LINES = ([[
11 execve("t/one.test.sh", ["one"], 0x7ff /* 20 vars */) = 0
11 openat(AT_FDCWD<ROOT>, "t/whole", O_RDONLY) = 3<ROOT/t/whole>
12 openat(AT_FDCWD<ROOT>, "t/two", O_RDONLY <unfinished ...>
13 openat(AT_FDCWD<ROOT>, "t/out", O_WRONLY|O_CREAT, 0600 <unfinished ...>
12 <... openat resumed>)             = 6<ROOT/t/two>
13 <... openat resumed>)             = 7<ROOT/t/out>
13 openat(AT_FDCWD<ROOT>, "t/then", O_RDONLY <unfinished ...>
13 <... openat resumed>)    = 7<ROOT/t/then>
14 openat(AT_FDCWD<ROOT>, "t/none", O_RDONLY <unfinished ...>
14 <... openat resumed>)             = -1 ENOENT (No such file or directory)
15 open("t/old", O_RDONLY) = 3<ROOT/t/old>
16 openat(AT_FDCWD<ROOT>, "t/made", O_WRONLY|O_CREAT, 0600) = 3<ROOT/t/made>
]]):gsub('ROOT', (root:gsub('%%', '%%%%')))
test.must 'mkdir bin t'
for _, name in ipairs {'whole', 'two', 'out', 'then', 'none', 'old', 'made'} do
  test.write('t/' .. name, name)
end
test.script('t/one.test.sh', 'echo "ok 1 - one"; echo 1..1\n')
test.must "touch -d '1 hour ago' t/*"
test.write('lines', LINES)
test.script('bin/strace', [[while [ "$1" != -o ]; do shift; done
[ "$2" = /dev/null ] || cp lines "$2"
shift 2
exec "$@"
]])
test.must [[PATH="$PWD/bin:$PATH" CI= tests/run.sh t/one.test.sh]]
local read = {}
for path in test.must 'cat build/tests/kept/t/one.json':gmatch '"(t/%w+)"' do
  read[path:match '%w+$'] = true
end
for _, name in ipairs {'whole', 'two', 'then', 'old'} do
  test.ok(read[name], name .. ' was read')
end
for _, name in ipairs {'out', 'made', 'none'} do
  test.ok(not read[name], name .. ' was not')
end
test.finish()
