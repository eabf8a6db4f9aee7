#!tests/lua.sh
-- Two builds of the book in two folders, neither of which knows what the other
-- found out, are the same, byte for byte.
-- takes: 200 s
local test = dofile 'tests/book/book.lua'
test.needs 'chromium qpdf'
local one, other = test.scratch .. '/one', test.scratch .. '/another/folder'
for _, folder in ipairs {one, other} do
  test.must('. tests/lib.sh; copy_sources "$1"', folder)
  test.builds('the book builds', folder, folder .. '/build/book/html')
end
test.holds('the same, byte for byte',
  'diff -rq "$1/build/book/html" "$2/build/book/html"', one, other)
test.finish()
