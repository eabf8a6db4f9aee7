#!tests/lua.sh
-- What a reader types of a lab, but for the grade itself: what it prints, what
-- it leaves behind, and that it never overwrites what he wrote.
-- takes: 5 s
local test = dofile 'tests/lib.lua'
local mine = test.scratch .. '/mine'
local kernel = mine .. '/lab2/kernel.cu'
local grade = mine .. '/lab2/grade.json'
-- Nothing is built, so nobody has to wait for the make that runs this test.
for name in ('MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES'):gmatch '%S+' do
  test.environment[name] = false
end
test.environment.LOCKED = '1'
test.environment.MINE = mine
local function make(words)
  return 'make ' .. words .. ' MINE="' .. mine .. '"'
end
-- The same without make, which takes its time to find out what is here.
local function lab2(verb) return 'tools/labs/lab.lua ' .. verb .. ' lab2' end

for _, case in ipairs {
  {'hint before anything', "There is no " .. kernel .. " yet: 'make lab2' lays",
    'lab2 hint'},
  {'reset before anything', 'There is no ', 'lab2 reset'},
  {'watch before anything', 'There is no ', 'lab2 watch'},
  {'an unknown lab', "There is no goal 'lab99'", 'lab99'},
  {'a verb without a lab', 'hint needs a lab, as in', 'hint'},
  {'a lab and a stage', 'not asked for together', 'lab2 stage2 check'},
  {"two of labs' verbs", 'One of hint reset at a time', 'lab2 hint reset'},
  {'a verb of stages alone', 'profile is for stages; a lab has check',
    'lab2 profile'},
} do
  test.ends(case[1], 2, case[2], make(case[3]))
end
-- A lab is for the GPUs that its stage is for: else nvcc never sees it.
test.ends('a lab of Hopper for another GPU', 2, 'lab10 needs compute ' ..
  'capability 9.0 (ARCH=90a); this build is for ARCH=100.', make
  'need/lab10/100')
local rules = test.sh(make '-n build/gpu/lab10/default/sm_90a.cubin')
test.ok(test.has(rules, {'build/labs/lab10/kernel.cu',
  without = 'needs compute'}), '  and for its own', rules)
test.ends('a kernel that is not there is not graded', 2, 'There is no ' ..
  kernel .. " yet: 'make lab2' lays it out.", 'tools/labs/grade.lua lab2')

local said = test.ends('make lab2 says the task', 0, {
  'lab2: P times V on tensor cores. 45 minutes, from stage2_wmma_pv.',
  'It trains: WMMA fragments',
  'Its chapter: chapters/04-stage2-wmma-pv.md; from "P times V" on it ' ..
  'prints what is yours.\n',
  'The scores come from tensor cores',
  'Quicker at first: make lab2 check SHAPES="small 2,3,100,64".',
  'Yours: the region p-times-v in ' .. kernel .. '.'}, make 'lab2')
local skeleton = test.read(kernel) or ''
test.ok(test.has(skeleton, {'//> p-times-v\n// Yours: make lab2 says',
  '//< p-times-v\n', '//> scores', without = 'mma_sync(out'}),
  'and lays out the kernel with a hole', skeleton)
test.ok(#test.lines(skeleton) > 200 and not skeleton:find 'USE_HALF2_PV &&',
  '  of the default arm')

test.append(kernel, '// mine\n')
test.ends('once more leaves it alone', 0, kernel .. ' is there already, and ' ..
  'was left alone.', lab2 'lay-out')
test.ok(test.read(kernel) == skeleton .. '// mine\n', '  every byte')

for _, hint in ipairs {'Hint 1 of 3:\nThree things', 'Hint 2 of 3:\nwmma::',
    'Hint 3 of 3:\nFor n = 0', 'Hint 3 of 3:\nFor n = 0'} do
  test.ends('a hint', 0, hint, lab2 'hint')
end

test.ends('no solution before an attempt', 2, 'The solution comes after an ' ..
  "attempt: 'make lab2 grade' first.", lab2 'solution')
test.write(grade, '{"lab": "lab2", "demands": [{"dem')
test.ends('nor with a grade that is cut off', 2, grade .. " is no whole " ..
  "grade: 'make lab2 grade' writes it anew.", lab2 'solution')
test.write(grade, '{"attempt": false}\n')
test.ends('nor after a grade of the skeleton', 2, 'is the skeleton: try first',
  lab2 'solution')
test.write(grade, '{"attempt": true}\n')
said = test.ends('after one, a difference', 0, {'--- ' .. kernel,
  "+++ the book's", '+        wmma::mma_sync(out[j], p16, v16, out[j]);',
  '-// mine'}, lab2 'solution')
test.ok(test.read(kernel) == skeleton .. '// mine\n',
  '  which changes nothing', said)

test.ends('reset keeps what was there', 0, 'what was there is ' .. kernel ..
  '.1.', lab2 'reset')
test.ok(test.read(kernel) == skeleton and test.read(kernel .. '.1') ==
  skeleton .. '// mine\n', '  whole')
test.append(kernel, '// again\n')
test.ends('a second one, too', 0, kernel .. '.2.', lab2 'reset')
test.ok(test.read(kernel .. '.1') == skeleton .. '// mine\n' and
  test.read(kernel .. '.2') == skeleton .. '// again\n', '  beside the first')

-- A file may not grow to a page: as on a full disk.
local function full(words)
  return "trap '' XFSZ; ulimit -f 1; " .. lab2(words)
end
test.write(kernel, skeleton .. '// dear\n')
said = test.ends('reset on a full disk', 3, 'Cannot write ' .. kernel ..
  '.3: File too large.', 'exec bash -c "$1"', full 'reset')
test.ok(test.read(kernel) == skeleton .. '// dear\n' and
  not test.read(kernel .. '.3'), '  loses nothing')
test.must('rm -r "$1"', mine .. '/lab2')
test.ends('a full disk when it is laid out', 3, 'Cannot write ' .. kernel ..
  ': File too large.', 'exec bash -c "$1"', full 'lay-out')
test.ok(not test.read(kernel), '  leaves no half kernel')
test.must('rm -rf "$1" && : >"$1"', mine)
test.ends('where a file has the name of the folder', 3, 'Cannot write ' ..
  kernel .. ': Not a directory.', lab2 'lay-out')
test.must('rm "$1"', mine)

-- ---- what a grade looks at first ----

test.must(lab2 'lay-out')
test.ends('a number to draw from that is none', 2,
  "A grade is drawn from one number, not from '1 2'.",
  'SEEDS="1 2" tools/labs/grade.lua lab2')
test.edit(kernel, '//> p-times-v', '//> mine')
test.edit(kernel, '//< p-times-v', '//< mine')
test.ends('a region that was renamed', 2, kernel .. ' has no region ' ..
  'p-times-v any more: put its marks back, //> p-times-v and //< p-times-v, ' ..
  'each alone in a line.', 'tools/labs/grade.lua lab2')
test.write(kernel, skeleton .. ('/'):rep(1 << 20))
test.ends('a kernel of a megabyte', 2, 'no kernel is that long',
  'tools/labs/grade.lua lab2')
test.finish()
