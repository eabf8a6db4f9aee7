#!tests/lua.sh
-- The language of the book and of the sample book. (mistakes/language.list
-- shows that each check of it sees what it guards.)
local test = dofile 'tests/book/book.lua'
test.needs 'aspell'

test.environment.BOOK_KEPT = test.kept
test.holds('nothing in the book is to be mended', 'book/lint.sh .')
local said, code = test.sh('book/lint.sh "$1"', test.sample)
test.ok(code == 0, 'the sample book has nothing to mend', said)
test.ok(said:find(' +[%d.]+ minutes +%d+ words +[1-9]%d* lines of code  ' ..
  'chapters/02'), 'how long a chapter takes is printed', said)
test.ends('without aspell: exit 3, and why', 3, 'needs aspell',
  'PATH=$1 exec book/lint.sh "$2"', test.only 'sh dirname', test.sample)
test.finish()
