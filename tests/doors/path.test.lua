#!tests/lua.sh
-- A tree in a path that make cannot have, and everything built anew by -B.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
local tree = test.folder

for _, name in ipairs {'a b', "it's", 'a;b', 'a$b', 'a:b'} do
  test.folder = test.scratch
  test.must('mv "$1" "$2"', tree, name)
  tree = test.scratch .. '/' .. name
  test.folder = tree
  local sentence = "make cannot build in '" ..
    test.must 'pwd -P':gsub('\n', '') ..
    "': move the tree to a path without blanks and signs like ' or ;"
  local said = test.ends('make in ' .. name, 2, sentence, 'make stage1')
  test.ok(#test.lines(said) == 1, '  and that is all', said)
  test.ends('setup in ' .. name, 3, 'Setup cannot work in',
    'sh tools/setup/setup.sh --headers-only')
  test.ok(not test.read 'build/.lock', '  neither has begun')
end

test.folder = test.scratch
test.must('mv "$1" plain', tree)
test.folder = test.scratch .. '/plain'
test.must 'make build/tools/newest'
test.ends('-B builds all of a goal anew', 0,
  'building build/tools/newest', 'make -B build/tools/newest')
test.ends('  and still knows no other goals', 2,
  "There is no goal 'bnech'; 'make' alone lists them.", 'make -B bnech')
test.finish()
