#!tests/lua.sh
-- Building all formats: the same bytes everywhere, all or nothing, and what is
-- said where a program is missing.
-- takes: 20 s
local test = dofile 'tests/book/book.lua'
test.needs 'chromium qpdf'
local holds, scratch = test.holds, test.scratch
local tree, built = scratch .. '/tree', scratch .. '/built'
local good, out, bin = scratch .. '/good', built .. '/html', scratch .. '/bin'
local chapter = tree .. '/chapters/01-method.md'
local kernel = tree .. '/stage0_first/kernel.cu'
local function build() return test.sh('book/build.sh "$@"', tree, out) end
local function nothing_beside()
  return #test.lines(test.must('ls -A "$1"', built)) == 2
end

test.must('cp -R "$1" "$2"; mkdir "$3"', test.sample, tree, bin)
test.builds('the sample book builds', tree, out)
test.ok(nothing_beside(),
  'its folder has nothing beside the book and what was kept')

local other = test.copy_book 'other'
local there = other .. '/place/tree'
local function builds_there(name, zone)
  holds(name, 'cd "$1" && exec env TZ="$2" book/build.sh place/tree html',
    other, zone or 'UTC')
end
test.must('cp -R "$1" "$2"', tree, there)
builds_there('it builds elsewhere', 'Asia/Tokyo')
for file in ('sample.pdf sample.epub ladder.png index.html'):gmatch '%S+' do
  holds(file .. ' is the same to the byte', 'cmp "$1/$3" "$2/html/$3"', out,
    other, file)
end

-- A chapter that grows by a page moves what is behind it.
for word = 1, 12 do
  for line in ('abcd'):gmatch '.' do
    test.append(there .. '/chapters/01-method.md',
      string.format('\nWord %d, line %s.\n', word, line))
  end
end
builds_there 'a longer chapter builds with the old page numbers at hand'
test.must('cd "$1" && rm -r cache && mv html warm', other)
builds_there 'and without them'
holds('into the same bytes', 'cd "$1" && diff -r warm html', other)
test.ok(test.read(other .. '/html/sample.pdf') ~=
  test.read(out .. '/sample.pdf'), 'which are others than before')

-- The build fails, and the last good book stays.
local function fails(name, pattern)
  local said, code = build()
  test.ok(code == 1 and ('\n' .. said):find(pattern),
    name .. ': exit 1, and why', said)
  said, code = test.sh('diff -r "$1" "$2"', good, out)
  test.ok(code == 0 and nothing_beside(),
    name .. ': the last good book is untouched', said)
end
test.must('cp -R "$1" "$2"', out, good)
local text, source = test.read(chapter), test.read(kernel)
test.append(chapter, '\nSee @fig-none.\n')
fails('a bad chapter', 'nothing with the id "fig%-none"')
test.write(chapter, text)
-- What the build before kept holds for the old kernel only.
test.edit(kernel, '2.0f', '3.0f')
fails('a changed kernel', 'was measured with another kernel')
test.write(kernel, source)
test.append(chapter, '\nHere is $x^2 + \\nosuch$.\n')
fails('a bad formula among those that were kept', 'formula: [^\n]*nosuch')
test.write(chapter, text)

test.environment.PATH = bin .. ':' .. os.getenv 'PATH'
for _, case in ipairs {
  {'chromium', 'Chromium', '\nThe PDF cannot be printed: Chromium [^\n]*%.\n'},
  {'qpdf', 'qpdf', '\nThe PDF cannot be printed: [^\n]*qpdf'},
} do
  test.script(bin .. '/' .. case[1], 'exit 1\n')
  fails(case[2] .. ' fails', case[3])
  os.remove(bin .. '/' .. case[1])
end
test.script(bin .. '/pandoc', 'exit 1\n')
test.builds("another pandoc on the PATH is not used", tree, out)
test.edit(other .. '/tools/setup/pins.conf', 'pypandoc_binary ',
  'pypandoc_binary 99')
test.ends('nor one of another version in .deps: exit 3', 3,
  "own pandoc is not here: 'make setup'", '"$@"', other .. '/book/build.sh',
  tree, out)

test.environment.PATH = test.only 'sh dirname node'
local said, code = build()
test.ok(code == 3 and #test.lines(said) == 1 and
  said:find "need chromium: .*'make book%-html' builds",
  'without Chromium: exit 3, one sentence', said)
test.environment.PATH = nil

test.environment.BOOK_FORMATS = 'html'
test.builds('the pages alone build', tree, out)
test.ok(not test.read(out .. '/sample.pdf') and
  not test.read(out .. '/index.html'):find 'sample%.pdf',
  'and have no link to what is not there')
test.finish()
