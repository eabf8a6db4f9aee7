#!tests/lua.sh
-- Every lab can be read, its text fits a terminal, its skeleton is the book's
-- kernel but for the regions that it empties; and what is wrong in a lab is
-- named with file and line.
-- takes: 5 s
local test = dofile 'tests/lib.lua'
local chapter = dofile 'tools/labs/chapter.lua'
local format = dofile 'tools/labs/format.lua'
local skeleton = dofile 'tools/labs/skeleton.lua'

local chapters = ''
for path in test.must 'ls chapters/*.md':gmatch '[^\n]+' do
  chapters = chapters .. (test.read(path):match '^# ([^\n]*)' or '') .. '\n'
end
local stages = {}
for path in test.must 'ls labs/*/*.lab':gmatch '[^\n]+' do
  local name = path:match '([^/]+)%.lab$'
  local fine, lab = pcall(format.read, name)
  test.ok(fine, name .. ' can be read', type(lab) == 'table' and lab.sentence or
    lab)
  if fine then
    stages[lab.stage] = true
    test.ok(lab.minutes >= 20 and lab.minutes <= 60, name .. ': minutes')
    test.ok(chapters:find('{#' .. lab.chapter .. '}', 1, true),
      name .. ': its chapter exists', lab.chapter)
    local path = chapter.of(lab)
    local from = path and chapter.prints_from(lab, path)
    test.ok(lab.stage == 'warmup' and not from or from and
      test.read(path):find('\n##+ ' .. from:gsub('%p', '%%%0') .. '[ \n]'),
      name .. ': where its chapter prints what is the reader\'s', from)
    local whole, holed = skeleton.solution(lab), skeleton.of(lab)
    test.ok(not whole:find '//> ([%l-]+)\n//< %1\n', name ..
      ': no empty region is left')
    for _, region in ipairs(lab.empties) do
      test.ok(skeleton.region(holed, region):find(lab.stubs[region], 1, true),
        name .. ': ' .. region .. ' is a hole with a stub')
      whole = skeleton.replace(whole, region, '')
      holed = skeleton.replace(holed, region, '')
    end
    test.ok(whole == holed, '  and the rest is as it was')
  end
end
for stage in test.must 'ls -d stage[0-9]*_*':gmatch '[^\n]+' do
  test.ok(stages[stage], stage .. ' has a lab')
end

local good = test.read 'labs/any-gpu/lab2.lab'
local function wrong(name, old, new, sentence)
  local at = good:find(old, 1, true)
  assert(at, old)
  local text = good:sub(1, at - 1) .. new .. good:sub(at + #old)
  local fine, why = pcall(format.parse, 'labs/x/lab2.lab', text)
  test.ok(not fine and type(why) == 'table' and why.sentence == sentence, name,
    type(why) == 'table' and why.sentence or why)
end
wrong('a line that is none', 'minutes: 45', 'minuets: 45',
  'labs/x/lab2.lab:4: a lab has no such line: minuets: 45')
wrong('a file that is none', 'minutes: 45', 'minutes: 45\nfile: ring/',
  'labs/x/lab2.lab: file is a C file or a kernel of the stage.')
wrong('a line that is missing', 'title: P times V on tensor cores\n', '',
  'labs/x/lab2.lab has no line title.')
wrong('a second one', 'minutes: 45', 'minutes: 45\nminutes: 50',
  'labs/x/lab2.lab:5: a second minutes.')
wrong('minutes in words', 'minutes: 45', 'minutes: some',
  'labs/x/lab2.lab: minutes are a number.')
wrong('a demand without a factor', 'shared_wavefronts <= 1.02',
  'shared_wavefronts',
  'labs/x/lab2.lab:11: a demand is COUNTER <= FACTOR or COUNTER >= FACTOR.')
wrong('a hint too many', 'stub p-times-v:', 'hint:\n  More.\nstub p-times-v:',
  'labs/x/lab2.lab: a lab has three hints.')
wrong('a hole without a stub', 'empties: p-times-v', 'empties: p-times-v state',
  'labs/x/lab2.lab: region state has no stub.')
wrong('text where none is open', 'minutes: 45', 'minutes: 45\n  more',
  'labs/x/lab2.lab:5: nothing that takes text is open here.')
local fine, why = pcall(format.read, 'lab99')
test.ok(not fine and why.sentence == 'There is no lab lab99.', 'no such lab')
test.finish()
