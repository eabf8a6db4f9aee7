#!tests/lua.sh
-- A hunt of the first level from its beginning to its end, and what a reader
-- may type or leave behind that fits no hunt. More hunts, wrong mends:
-- tests/more/bughunt.more.lua.
-- takes: 15 s
local test = dofile 'tests/lib.lua'
local hunts = dofile 'tests/bughunt/hunts.lua'
test.environment.LAB_NVCC = '0'
test.enter_copy()
-- The one that the book shows, so that ccache has compiled it.
local hunt = hunts.of(test, 1, '0', 1, 'mine')

local said, code = hunt.make 'check'
test.ok(code == 2 and test.has(said, 'There is no ' .. hunt.kernel),
  'nothing is laid out yet', said)
said, code = hunt.lay_out()
test.ok(code == 0 and test.has(said, {'SEED=1 STAGE=0 LEVEL=1',
  'race, at ', ': the innermost region', without = hunt.region .. ' '}),
  'a hunt says what race names', said)
test.ok(test.read(hunt.kernel) == hunt.text and hunt.text ~= hunt.book,
  '  and lays a kernel out that is not the book\'s')
test.write(hunt.kernel, hunt.text .. '// mine\n')
said, code = hunt.verb 'lay-out'
test.ok(code == 0 and test.has(said, {'was left alone', 'race, at '}) and
  test.read(hunt.kernel) == hunt.text .. '// mine\n',
  'once more leaves it alone', said)

local not_met, grade
not_met, said, code, grade = hunt.grade(nil)
test.ok(code ~= 0 and not_met == 'mended' and not grade.attempt and
  test.has(said, 'this is the kernel that was laid out'),
  'it is not mended by a comment', said)

local function verb(words, name, ends, says)
  said, code = hunt.verb(words)
  test.ok(code == ends and test.has(said, says), name, said)
end
verb('solution', 'no solution before an attempt', 2,
  'What was graded is the kernel as laid out')

not_met, said, code = hunt.grade(hunt.book .. '// mended\n',
  'In short, I have found and mended the mistake in the kernel.')
test.ok(code ~= 0 and not_met == 'sentence', 'a sentence that says nothing',
  said)
not_met, said, code, grade = hunt.grade(hunt.book)
test.ok(code == 0 and not_met == '' and grade.passed and grade.attempt,
  'mended and named', said)

verb('hint', 'the first hint', 0, 'It is in the region ' .. hunt.region)
verb('hint', 'the second', 0, hunt.kind.hint)
verb('hint', 'no third', 0, 'Hint 2 of 2')
test.write(hunt.kernel, hunt.text)
verb('solution', 'a solution after an attempt', 0, {'--- ' .. hunt.kernel,
  "+++ the book's", '\n@@ '})
test.write(hunt.kernel, '// dear\n')
verb('reset', 'reset keeps what was there', 0, hunt.kernel .. '.1.')
test.ok(test.read(hunt.kernel) == hunt.text and
  test.read(hunt.kernel .. '.1') == '// dear\n', '  whole')

for _, case in ipairs {
  {'an unknown stage', 'STAGE=40 SEED=1 lay-out', "There is no stage '40'"},
  {'level 4', 'LEVEL=4 SEED=1 lay-out',
    "LEVEL is a number from 1 to 3, not '4'"},
  {'level 0', 'LEVEL=0 SEED=1 lay-out', "LEVEL is a number from 1 to 3"},
  {'a seed that is no number', 'SEED=x lay-out', "SEED is a number, not 'x'"},
  {'a seed below 0', 'SEED=-1 lay-out', "SEED is a number, not '-1'"},
  {'a level without a seed', 'LEVEL=2 lay-out', 'needs a number as well'},
  {'a second hunt', 'SEED=2 STAGE=0 lay-out', 'one at a time'},
  {'another one graded', 'SEED=1 LEVEL=2 STAGE=0 grade', 'one at a time'},
} do
  verb(case[2], case[1], 2, case[3])
end
test.ok(test.read(hunt.kernel) == hunt.text, '  and the kernel is as it was')

local note = hunt.folder .. '/hunt'
test.write(note, 'SEED=1\nSTA')
verb('grade', 'a note that is cut off', 2, note .. ' does not say any more')
test.must('rm "$1"', note)
verb('grade', 'a note that is gone', 2, note .. ' is gone')
test.write(hunt.kernel, '// dear\n')
verb('SEED=1 STAGE=0 lay-out', '  is written again', 0, 'was left alone')
test.ok(test.read(note) and test.read(hunt.kernel) == '// dear\n',
  '  and the kernel left alone')
test.must('rm "$1"', hunt.kernel)
verb('grade', 'a kernel that is gone', 2, 'There is no ' .. hunt.kernel)
test.must('rm -r "$1"', hunt.folder)
for _, one in ipairs {'grade', 'hint', 'solution', 'reset', 'lay-out'} do
  verb(one, one .. ' where nothing is', 2, "'make bughunt SEED=7' lays one out")
end
local slow = test.read 'tools/bughunt/slow.list'
test.write('tools/bughunt/slow.list', (slow:gsub('\nstage10[^\n]*', '')))
verb('STAGE=10 SEED=1 LEVEL=3 lay-out', 'a level that a stage has not', 2,
  'stage10_tma_ring has no hunt of level 3.')
test.write('tools/bughunt/slow.list', slow)

test.environment.LOCKED = '1'
test.ends('a hunt and a lab', 2, 'not asked for together', 'make bughunt lab2')
test.ends('a verb of stages alone', 2, 'profile is for stages; a lab has check',
  'make bughunt profile')
test.finish()
