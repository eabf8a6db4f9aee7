#!tests/lua.sh
-- The instructor's guide against the labs: timetables that are of the labs'
-- own minutes, a section for each lab, wrong solutions that exist.
local test = dofile 'tests/lib.lua'
local labs, wrong = {}, {}
local paths = test.must 'ls labs/*/*.lab'
for name in paths:gmatch '([^/\n]+)%.lab' do labs[name] = true end
for line in test.read 'tests/labs/wrong.list':gmatch '[^\n]+' do
  local lab, name = line:match '^(lab%w+) | (.-) |'
  if lab then wrong[lab .. ' ' .. name] = true end
end

-- ---- timetables ----

local program = '"$1"/tools/workshop/timetable.lua'
local said, code = test.sh('tools/workshop/timetable.lua')
test.ok(code == 0 and said == test.read 'workshop/timetables.md',
  'timetables.md is what `make timetables` writes now', said)
local hours = {}
for number in said:gmatch '\n## (%d+) hours' do hours[#hours + 1] = number end
test.ok(table.concat(hours, ' ') == '2 4 8 16', 'courses of 2, 4, 8, 16 hours',
  table.concat(hours, ' '))

-- A small tree of labs and one chapter, whose timetable the test writes.
local root = test.folder
test.must([[cp -R --parents tools/labs tools/setup tools/workshop labs "$1" &&
  { [ ! -e .deps ] || ln -s "$PWD/.deps" "$1"; }
  mkdir "$1/workshop" "$1/chapters"]], test.scratch)
test.folder = test.scratch
test.write('chapters/01.md', '# One {#ch-problem}\n')
local function says(name, wanted, want_code, list)
  test.write('workshop/timetables.list', list)
  test.ends(name, want_code, wanted, program, test.folder)
end
local course = 'course 1 | short\nday 1\n'
local with_lab = course .. 'start 10 | hello\nlab labw\n'
says('a lab takes its own minutes',
  {'| 0:10 | 40 | **labw**: copy, sum, transpose | [One]', '| 0:50 | 10 | q',
    'Labs take 40 of the 60 minutes'}, 0, with_lab)
test.edit('labs/warmup/labw.lab', 'minutes: 40', 'minutes: 50')
says('and others where the lab says so', '| 0:10 | 50 |', 0,
  with_lab)
says('too much for a day', ':2: this day takes 61 minutes, 1 more', 1,
  course .. 'start 11 | hello\nlab labw\n')
says('no break', ':2: 101 minutes without a break, up to 1:41', 1,
  'course 2 | x\nday 2\nstart 51 | x\nlab labw\n')
says('a break in between', '| 1:01 | 50 |', 0,
  'course 2 | x\nday 2\nstart 51 | x\nbreak 10 | tea\nlab labw\n')
says('a lab twice', ':4: labw is in this course twice', 1,
  'course 2 | x\nday 2\nlab labw\nlab labw\n')
says('a lab that is not there', 'There is no lab lab99', 1,
  course .. 'lab lab99\n')
says('a chapter that is not there', ':3: there is no chapter ch-none', 1,
  course .. 'talk 5 | ch-none | x\n')
says('a word that is none', ':3: there is no line that begins with "nap"', 1,
  course .. 'nap 5 | x\n')
says('hours that are not the days\'', 'the course of 2 hours have 1', 1,
  'course 2 | x\nday 1\nlab labw\n')
test.folder = root

-- ---- a section for each lab ----

local missing, unknown, few = {}, {}, {}
local guide = test.read 'workshop/labs.md' .. '\n## '
for name in pairs(labs) do
  local section = guide:match('\n## ' .. name .. '\n(.-)\n## ')
  for part in ('Say Wrong Stuck Cut'):gmatch '%a+' do
    if not section or not section:find('\n**' .. part .. '.**', 1, true) then
      missing[#missing + 1] = name .. ' ' .. part
    end
  end
  local count = 0
  for solution in (section or ''):gmatch '\n%- %*(.-)%*:' do
    count = count + 1
    local key = name .. ' ' .. solution:gsub('%s+', ' ')
    if not wrong[key] then unknown[#unknown + 1] = key end
  end
  if count < 3 then few[#few + 1] = name end
end
for name in guide:gmatch '\n## (lab%w+)\n' do
  if not labs[name] then unknown[#unknown + 1] = name end
end
local function none(list, name)
  table.sort(list)
  test.ok(#list == 0, name, table.concat(list, '\n'))
end
none(missing, 'labs.md has four parts for each lab')
none(unknown, 'its wrong solutions are those of tests/labs/wrong.list')
none(few, 'three of them at least')
test.finish()
