#!tests/lua.sh
-- Hunts in each stage: the kernel as laid out shows the symptom of its level
-- and is refused; mended it passes, as the stage's text and as its machine
-- code; mended wrongly, or with another change, it does not.
-- for each stage[0-9]*_* without stage.mk
-- takes: 250 s
local test = dofile 'tests/lib.lua'
local stage = arg[1]
local short = stage:match '^stage(%d+)'
test.environment.LAB_NVCC = '0'
-- Mistakes are drawn here, where build/ is; graded in a copy.
test.must 'make -s LOCKED=1 build/tests/plant build/tools/mutate'
local hunts = dofile 'tests/bughunt/hunts.lua'
local mistakes = dofile 'tools/bughunt/mistakes.lua'
test.enter_copy 'sources'

local SHOWS = {
  {'race, at ', 'check'},
  {'race: silent at small and at odd', 'check, at '},
  {'race: silent at small and at odd', 'check: passes at small and at odd',
    'count, at 1,2,300,64: '},
}
local SEEDS = {2, 1, 24} -- so many hunts of each level, at most

-- The hunts of this level, each mistake once.
local function hunts_of(level)
  local list, seen = {}, {}
  local all = #mistakes.of(stage, level)
  for seed = 1, all == 0 and 0 or SEEDS[level] do
    local hunt = hunts.of(test, seed, short, level)
    if not seen[hunt.text] then
      list[#list + 1], seen[hunt.text] = hunt, true
    end
  end
  return list
end

-- What the counter was, of the copy and of the book's kernel.
local function slower(said, counter)
  local mine, book = said:match(counter .. " (%d+), and (%d+) in the book's")
  return mine and tonumber(mine) > tonumber(book)
end

local graded = 0
for level = 1, 3 do
  local last
  for _, hunt in ipairs(hunts_of(level)) do
    local name = string.format('level %d, %s:%d, %s', level, hunt.region,
      hunt.line, hunt.kind.name)
    local said, code = hunt.lay_out()
    local shows = level == 1 and SHOWS[1][1] or SHOWS[level]
    test.ok(code == 0 and test.has(said, shows), name .. ': the symptom', said)
    if level == 3 then
      test.ok(slower(said, hunt.counter), '  more of ' .. hunt.counter, said)
    end
    local not_met = hunt.grade()
    test.ok(not_met == 'mended', '  not mended as laid out', not_met)
    not_met = hunt.grade(hunt.book)
    test.ok(not_met == '', '  mended it passes', not_met)
    last = hunt
  end
  -- What has to be built, once a level.
  if last then
    graded = graded + 1
    last.built = true
    local more = last.book:gsub('^(.*\n#include [^\n]*\n)',
      '%1using spare_word = unsigned;\n')
    local not_met, said = last.grade(more)
    test.ok(not_met == '' and more ~= last.book and test.has(said,
      "the machine code is the stage's"),
      'what compiles to nothing may be there', said)
    local all = test.must('build/tools/mutate list "$1"', stage)
    local doubled = all:match "(%d+)|[^|\n]*|%d+|barrier%-doubled|'__syncthr" or
      all:match "(%d+)|kernel|%d+|barrier%-doubled|"
    if doubled then
      not_met, said = last.grade(test.must('build/tools/mutate make "$1" "$2"',
        stage, doubled))
      test.ok(not_met ~= '', 'a barrier more is another change', said)
    end
    -- One mistake in the place of another.
    local other = hunts.of(test, 3, short, 1)
    local seed = 3
    while mistakes.is_there(last, other.text) or other.text == last.text do
      seed = seed + 1
      other = hunts.of(test, seed, short, 1)
    end
    not_met, said = last.grade(other.text)
    test.ok(not_met ~= '', 'a wrong mend', said)
    local built = last.text .. '\n// one more line\nint spare;\n'
    not_met, said = last.grade(built)
    test.ok(not_met ~= '', 'a line more mends nothing', said)
    test.ok(test.read(last.kernel) == built, '  and the file is as it was')
  end
end
test.ok(graded > 0, stage .. ' has hunts')
test.finish()
