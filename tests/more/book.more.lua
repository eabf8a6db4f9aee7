#!tests/lua.sh
-- Builds of the book in two folders, neither of which knows what the other
-- found out, are the same, byte for byte, with PDF and EPUB; and so is one that
-- knows.
-- takes: 250 s
local test = dofile 'tests/book/book.lua'
test.needs 'chromium qpdf'
local one, other = test.scratch .. '/one', test.scratch .. '/another/folder'
local function builds(name, folder)
  test.builds(name, folder, folder .. '/build/book/html')
  if folder == one then return end
  test.holds('  the same, byte for byte',
    'diff -rq "$1/build/book/html" "$2/build/book/html"', one, other)
end
for _, folder in ipairs {one, other} do
  test.must('. tests/lib.sh; copy_sources "$1"', folder)
end
builds('the book builds in three formats', one)
builds('and in another folder', other)
test.environment.BOOK_KEPT = one .. '/build/book/cache'
builds('and with what the first found out', other)
test.finish()
