#!tests/lua.sh
-- The PDF and the EPUB of the book: each is in order, and they carry what the
-- pages carry. (Two builds are the same: sample-formats.test.lua, and of the
-- book itself tests/more/book.more.lua.)
-- takes: 150 s
local formats = dofile 'tests/book/formats.lua'
local test = formats.test
local folder = test.scratch .. '/book'
test.environment.BOOK_KEPT = test.kept
test.builds('the book builds in three formats', '.', folder .. '/html')
formats.check(folder, test.read 'chapters/book.yaml':match '\nname: (%S+)')
test.finish()
