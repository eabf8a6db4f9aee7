#!tests/lua.sh
-- A class of thirty, as a teacher has it: this machine's own line of
-- workshop-check, and kernels that pass, that are wrong, and that nobody has
-- touched, each graded again.
-- takes: 300 s
local test = dofile 'tests/lib.lua'
test.environment.LAB_NVCC = '0'
test.enter_copy 'sources'
test.must 'make -s -j2 build/tests/plant'
local labs = dofile 'tests/labs/lab.lua'

local line, code = test.sh 'make -s workshop-check MINE=mine 2>errors'
local fine, value = pcall(pandoc.json.decode, line, false)
test.ok(code == 0 and fine and value.ready and value.seconds > 0 and
  value.seconds < 60 and test.read 'mine/check.json' == line,
  'this machine is ready, and says so in one line', line)

local class, expected = test.scratch .. '/class', {}
local function hand_in(number, lab, text, passes)
  local student = string.format('student%02d', number)
  local folder = class .. '/' .. student
  test.must('mkdir -p "$1/$2"', folder, lab)
  test.write(folder .. '/check.json', line)
  test.write(folder .. '/' .. lab .. '/kernel.cu', text)
  test.write(folder .. '/' .. lab .. '/grade.json', '{"passed":true}\n')
  expected[#expected + 1] = string.format('%s, %s: %s', student, lab,
    passes and 'passed' or 'not passed')
end

-- Each kernel is another text, so that each is graded.
local names, number = {'labw', 'lab0', 'lab7b'}, 0
for _, name in ipairs(names) do
  local lab = labs.of(test, name)
  for _, wrong in ipairs(labs.wrong(test, name)) do
    if number % 10 < 4 then
      number = number + 1
      hand_in(number, name, lab.edited(wrong.place, wrong.edit), false)
    end
  end
  while number % 10 ~= 0 do
    number = number + 1
    local good = number % 10 < 8 and number % 10 > 0
    hand_in(number, name, (good and lab.solution or lab.skeleton) ..
      '// ' .. number .. '\n', good)
  end
end
test.environment.MINE = nil
local start = os.time()
local said = test.ends('a class of thirty is rostered', 0, expected,
  'make -s roster DIR="$1"', class)
test.ok(number == 30 and #expected == 30, 'thirty kernels were handed in', said)
test.ok(os.time() - start < 900, 'within fifteen minutes', os.time() - start)
local page = test.read(class .. '/roster.html') or ''
local passed = select(2, said:gsub(': passed', ''))
test.ok(test.has(page, {'30 of 30 are ready', passed .. ' of 30 kernels pass',
  'labw, by counters', 'lab0, by counters', 'lab7b, by counters'}),
  'the page has them all', page)
local claims = select(2, page:gsub('his own file says: passed', ''))
test.ok(claims == 30 - passed, 'and says whose grade file is not true', claims)
test.finish()
