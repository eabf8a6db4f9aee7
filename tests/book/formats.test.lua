#!tests/lua.sh
-- The PDF and the EPUB of the book: each is in order, and they carry what the
-- pages carry. A build in another folder, with what the first found out, is the
-- same, byte for byte. (Without that: tests/more/book.more.lua.)
-- takes: 150 s
local formats = dofile 'tests/book/formats.lua'
local test = formats.test
test.environment.BOOK_KEPT = test.kept
local one = test.builds_twice()
formats.check(one .. '/build/book', test.read 'chapters/book.yaml':match
  '\nname: (%S+)')
test.finish()
