#!tests/lua.sh
-- The students' book: no answer in any format, and all else as it was. The
-- book itself: tests/more/student.more.lua.
-- takes: 5 s
local test = dofile 'tests/book/book.lua'
test.needs 'chromium qpdf unzip pdftotext'
local tree, built = test.scratch .. '/tree', test.scratch .. '/html'
local chapter = tree .. '/chapters/01-method.md'
local words = 'nobody else has these words'
test.must('cp -R "$1" "$2"', test.sample, tree)
test.edit(chapter, '\n::: {.answer}\n', '\n::: {.answer}\nHere ' .. words ..
  ': $7 \\cdot 3$.\n\n')

-- All words of a format, with one blank between them.
local function text_of(format)
  local script = ({pages = 'cat "$1"/*.html "$1"/search-index.js',
    PDF = 'pdftotext "$1"/*.pdf -',
    EPUB = 'unzip -p "$1"/*.epub'})[format]
  local text = test.must(script, built)
  -- In a PDF a < begins no tag.
  if format ~= 'PDF' then text = text:gsub('<[^>]*>', '') end
  return (text:gsub('%s+', ' '))
end
local FORMATS = {'pages', 'PDF', 'EPUB'}

test.environment.BOOK_FORMATS = 'html'
test.builds('the book with its answers', tree, built)
test.ok(test.has(text_of 'pages', words), 'pages: they are there')
test.environment.BOOK_FORMATS = nil

test.environment.BOOK_STUDENT = '1'
test.builds('the book for students', tree, built)
for _, format in ipairs(FORMATS) do
  local text = text_of(format)
  test.ok(test.has(text, {'Exercise 1.1', 'book: it has no answers',
    without = words}), format .. ': the question without them', text)
end
test.ok(test.read(built .. '/sample-students.pdf') and
  not test.read(built .. '/sample.pdf'), 'its files have a name of their own')
test.holds('no link leads nowhere', 'node tests/book/check/pages.js "$1"',
  built)

-- An answer is still read.
test.edit(chapter, words, words .. ' for 55 µs')
test.ends('a mistake in an answer fails', 1, '55 µs',
  'BOOK_FORMATS=html book/build.sh "$1" "$2"', tree, built)
test.environment.BOOK_STUDENT = 'yes'
test.ends('a setting that is none', 2, "STUDENT is 'yes': 1 leaves",
  'book/build.sh "$1" "$2"', tree, built)
test.finish()
