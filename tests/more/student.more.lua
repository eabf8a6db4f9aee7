#!tests/lua.sh
-- The students' pages have no answer's text, the teachers' have all: each
-- answer is looked for by its longest run of plain words.
-- takes: 120 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'

-- Words of one line, with nothing between them that the book would change.
local function longest(text)
  local best = ''
  for run in text:gmatch '[%a ,]+' do
    run = run:match '^[ ,]*(.-)[ ,]*$'
    if #run > #best then best = run end
  end
  return best
end
local answers = {}
local text = test.must 'cat chapters/*.md'
for answer in text:gmatch '\n::: {%.answer}\n(.-)\n:::\n' do
  answers[#answers + 1] = longest(answer)
end

local function found(folder)
  local pages = test.must('cat "$1"/*.html "$1"/search-index.js', folder)
    :gsub('<[^>]*>', ''):gsub('%s+', ' ')
  local list = {}
  for _, words in ipairs(answers) do
    if test.has(pages, words) then list[#list + 1] = words end
  end
  return list
end
test.ends('the teachers\' pages build', 0, 'The book is in',
  'make -s book-html')
local all = found 'build/book/html'
test.ok(#answers > 40 and #all == #answers, 'they have ' .. #answers ..
  ' answers', #all)
test.ends('the students\' pages build', 0, 'build/book/student/html',
  'make -s book-html STUDENT=1')
local left = found 'build/book/student/html'
test.ok(#left == 0, 'they have none', table.concat(left, '\n'))
test.ok(test.read 'build/book/html/index.html',
  'the others stay where they are')
test.finish()
