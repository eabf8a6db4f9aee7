#!tests/lua.sh
-- A class on one page: kernels are graded again, and what is hostile, broken or
-- huge among the students' files is shown as such and harms nothing. A whole
-- class: tests/more/class.more.lua.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
test.environment.LAB_NVCC = '0'
test.environment.SEEDS = '7'
test.enter_copy()
local format = dofile 'tools/labs/format.lua'
local skeleton = dofile 'tools/labs/skeleton.lua'
local lab = format.read 'labw'
-- What does not compile is graded soonest, and the compiler repeats it.
local bad = skeleton.of(lab) .. '#error <script>no</script>\n'
local class = test.scratch .. '/class'
local good = '{"workshop_check":1,"ready":true,"can":["executor","labs"],' ..
  '"seconds":0.5,"cores":2,"machine":"x86_64","gpu":null,"missing":[],' ..
  '"why":"","type":"make labw"}\n'

-- A student's folder, with files by their names.
local students = 0
local function student(name, contents)
  students = students + 1
  local folder = class .. '/' .. name
  test.must('mkdir -p -- "$1/labw"', folder)
  for file, text in pairs(contents) do
    if text == 'pipe' then
      test.must('mkfifo -- "$1"', folder .. '/' .. file)
    elseif text:find '^link ' then
      test.must('ln -s "$1" "$2"', text:sub(6), folder .. '/' .. file)
    else
      test.write(folder .. '/' .. file, text)
    end
  end
end
student('ann', {['check.json'] = good})
student('bea', {['check.json'] = good, ['labw/grade.json'] = '{"passed":fal',
  ['labw/kernel.cu'] = bad})
student('cheat', {['check.json'] = good, ['labw/kernel.cu'] =
  bad, ['labw/grade.json'] =
  '{"passed":true,"attempt":true,"demands":[]}'})
student('<img src=x onerror=alert(1)>', {['check.json'] = good:gsub('true',
  'false'):gsub('"why":""', '"why":"<script>no</script>"')})
student('-rf', {['check.json'] = good:sub(1, 60)})
student('a\nb\27[2J', {['check.json'] = ('['):rep(60000)})
student("$(touch pwned)'", {['check.json'] = 'pipe'})
student('dirs', {['labw/kernel.cu'] = 'pipe', ['check.json'] = 'null'})
student('link', {['check.json'] = 'link /etc/passwd',
  ['labw/kernel.cu'] = 'link /etc/passwd'})
student('huge', {['check.json'] = good .. (' '):rep(70000),
  ['labw/kernel.cu'] = ('/'):rep((1 << 20) + 1)})
student('types', {['check.json'] = '{"workshop_check":1,"ready":"yes",' ..
  '"can":[1,{},"<b>x"],"seconds":"fast","missing":{"a":1},"type":5,"why":[]}'})
test.must('mkdir -p "$1/whole/mine/labw"', class)
student('whole', {['mine/check.json'] = good, ['mine/labw/kernel.cu'] = bad})
student('nan', {['check.json'] = '{"workshop_check":1,"ready":true,' ..
  '"can":"all","seconds":1e999}'})

local LIST = 'cd "$1" && find . -path ./roster.html -o -type f -print0 | ' ..
  'sort -z | xargs -0 cksum; find . | sort'
local before = test.must(LIST, class)
local said = test.ends('a class is rostered', 0, {
  'bea, labw: not passed', 'cheat, labw: not passed', 'dirs, labw: not passed',
  'whole, labw: not passed',
  'wrote ' .. class .. '/roster.html', without = '\27'},
  'make -s roster DIR="$1"', class)
local page = test.read(class .. '/roster.html') or ''
test.must('mv "$1/roster.html" "$1.html"', class)
test.ok(test.must(LIST, class) == before, 'no file of theirs has changed')
test.ok(not test.read(class .. '/pwned') and not test.read 'pwned',
  'and no name was a command')

-- The cells of a student's rows.
local function rows(name)
  local found = {}
  for row in page:gmatch '<tr>(.-)</tr>' do
    if row:find('<td><bdi>' .. name .. '</bdi></td>', 1, true) then
      found[#found + 1] = row
    end
  end
  return table.concat(found, '\n'), #found
end
local function shows(name, title, texts)
  local text = rows(name)
  test.ok(text ~= '' and test.has(text, texts), title, text)
end
shows('ann', 'who is ready', '<td>ready</td><td>0.50</td>')
shows('bea', 'a grade cut off says nothing', {'<b>compiles</b>',
  without = 'his own file'})
shows('cheat', 'a grade that was written by hand', {
  'not tried (his own file says: passed)', '<b>compiles</b>',
  '&lt;script&gt;no&lt;/script&gt;'})
shows('&lt;img src=x onerror=alert(1)&gt;', 'a name with HTML in it',
  '&lt;script&gt;no')
shows('-rf', 'a line cut off', 'is no whole line')
shows('a?b?[2J', 'one without an end', 'is no whole line')
shows('$(touch pwned)&#39;', 'a pipe', 'check.json is no regular file')
shows('dirs', 'null, and a pipe for a kernel', {'is no whole line',
  'kernel.cu is no regular file'})
shows('link', 'links', {'check.json is no regular file',
  'kernel.cu is no regular file'})
shows('huge', 'what is too large', {'check.json has more than 64 KiB',
  'kernel.cu has more than 1024 KiB'})
shows('types', 'fields of another type', {'not yet', '&lt;b&gt;x',
  without = 'fast'})
shows('whole', 'a folder `mine` as it was', {'<td>ready</td><td>0.50</td>',
  '<b>compiles</b>'})
shows('nan', 'a number without an end', {'ready</td><td></td>'})
test.ok(test.has(page, {'5 of ' .. students .. ' are ready', '0 of 6 kernels',
  'SEEDS=7', without = 'root:'}) and not page:find '<[is][mc]',
  'the page counts, and runs nothing', page)

-- ---- what is no class ----
test.must('mkdir "$1"', test.scratch .. '/empty')
test.ends('no folder', 2, "as in 'make roster DIR=class'", 'make -s roster')
local roster = 'exec tools/workshop/roster.lua "$1"'
test.ends('one that is not there', 2, 'nowhere has no folders', roster,
  'nowhere')
test.ends('an empty one', 2, 'has no folders', roster, test.scratch .. '/empty')
test.environment.SEEDS = 'x'
test.ends('a seed that is none', 2, "not from 'x'", roster, class)

-- ---- ranks ----
local boards = dofile 'tools/workshop/boards.lua'
local function class_of(list)
  local all = {}
  for i, grade in ipairs(list) do
    grade.passed = true
    all[i] = {name = 's' .. i, labs = {{name = 'lab1', grade = grade}}}
  end
  return boards.of(all)[1]
end
local function ranks(board)
  local words = {}
  for i, one in ipairs(board.entries) do
    words[i] = one.student .. '=' .. one.rank
  end
  return board.by .. ' ' .. table.concat(words, ' ')
end
local function timed(us) return {time = {here_us = us, book_us = 9,
  noise_us = 0.5}} end
local got = ranks(class_of {timed(10.9), timed(10), timed(10.4), timed(11)})
test.ok(got == 'time s2=1 s3=1 s1=3 s4=3', 'times within their noise tie', got)
local function counts(n) return {counters = {a = {here = n, book = 10,
  sign = '<='}, b = {here = 1, book = 1, sign = '>='}}} end
got = ranks(class_of {counts(20), counts(10), counts(20)})
test.ok(got == 'counters s2=1 s1=2 s3=2', 'counts rank by the ones to be small',
  got)
local mixed = timed(1)
mixed.counters = counts(30).counters
got = ranks(class_of {mixed, counts(20)})
test.ok(got == 'counters s2=1 s1=2', 'and where one was not timed, all do', got)
test.finish()
