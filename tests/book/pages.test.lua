#!tests/lua.sh
-- The sample book builds, and its pages hold what its chapters say.
local test = dofile 'tests/book/book.lua'
local ok, holds = test.ok, test.holds
test.environment.BOOK_FORMATS = 'html'
local three = test.html .. '/03-second.html'

test.builds('the sample book builds', test.sample)
holds('links, anchors, ids; nothing is loaded from outside',
  'node tests/book/check/pages.js "$1"', test.html)

holds('without an address, their heads name none',
  'node tests/book/check/heads.js "$1"', test.html)
test.shows_all 'pages.list'
test.shows('a description leaves out a sentence with a formula in signs',
  '01-method.html', 'name="description" content="By Equation.1.1 the sum is')
local marks, none = test.sh(
  [[cat "$1"/*.html | grep -E '(//|#|&[lg]t;)[<>] ?(body|goal)']], test.html)
ok(none == 1, 'no marker is on any page', marks)
local _, links = test.read(three):gsub('[^\n]*class="glossary"[^\n]*', '')
ok(links == 1, 'a term is linked once, not in code, a heading or a compound')
ok(not test.read(test.html .. '/01-method.html'):find 'class="glossary"',
  '  and not in the chapter that explains it')
ok(not test.read(three):find '>15  ',
  'a line without conflicts is not in the drawing of them')

local folded = test.read(three)
  :match '<figure[^>]* id="lst%-folded">(.-)</figure>'
ok(folded and not folded:find '__threadfence' and
  not folded:find '>#', 'a listing has no line of another arm, and no #if',
  folded)

local other = test.copy_book 'other'
local tree = other .. '/place/tree'
test.must('cp -R "$1" "$2"', test.sample, tree)
holds('it builds elsewhere', 'cd "$1" && exec book/build.sh place/tree html',
  other)
holds('byte for byte the same', 'diff -r "$1" "$2/html"', test.html, other)

local shown = tree .. '/chapters/output/count.txt'
local function refreshed(name)
  holds(name, 'book/refresh-output.sh "$1"', tree)
end
test.write(shown, '$ echo new; echo built in 3.2 s; false\nold\n')
refreshed 'shown output is refreshed'
ok(test.read(shown) == [[
$ echo new; echo built in 3.2 s; false
new
built in N s
[exit 1]
]], 'with its exit code, and masked', test.read(shown))
test.write(shown, '$ exit 3\nold\n')
refreshed 'what this machine cannot do is left alone'
ok(test.read(shown):find '\nold\n', 'and keeps its old output')
test.write(tree .. '/chapters/09-shows.md', '```{.output file="count.txt" ' ..
  'lines="2-2"}\n```\n```{.output file="count.txt" lines="3-4"}\n```\n')
test.write(shown, '$ echo new; echo old; echo older\nold\nold\nolder\n')
local said = test.must('book/refresh-output.sh "$1" 2>&1', tree)
ok(test.has(said, 'chapters/09-shows.md shows lines 2-2 of count.txt, which ' ..
  'have changed') and not said:find '3%-4',
  'what a chapter shows of it, and is another line now, is named', said)
os.remove(tree .. '/chapters/09-shows.md')

local bare, few = test.copy_book 'bare', test.only 'sh dirname'
os.remove(bare .. '/.deps')
for _, book in ipairs {bare .. '/book', 'book'} do
  local said, code = test.sh('PATH=$1 exec "$2/build.sh" "$3" "$4"', few, book,
    test.sample, test.scratch .. '/none')
  ok(code == 3 and #test.lines(said) == 1,
    'exit 3, one sentence: ' .. said:gsub('\n', ''), said)
end
test.only 'node git'
test.ends('without unifdef: exit 3, and why', 3, 'The book needs unifdef: ',
  'PATH=$1 exec book/build.sh "$2" "$3"', few, test.sample,
  test.scratch .. '/none')
test.finish()
