#!tests/lua.sh
-- Two builds of the book in two folders, neither of which knows what the other
-- found out, are the same, byte for byte.
-- takes: 200 s
local test = dofile 'tests/book/book.lua'
test.needs 'chromium qpdf'
test.builds_twice()
test.finish()
