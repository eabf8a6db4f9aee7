#!tests/lua.sh
-- Which lines of a kernel a listing shows: those that the compiler reads in
-- that arm, folded by rule, and compared as `make diff-stageN` compares them.
-- takes: 20 s
local test = dofile 'tests/book/book.lua'
test.needs 'g++'
package.path = test.folder .. '/book/lib/?.lua;' .. package.path
local arms = require 'code.arms'
local difference = require 'code.difference'
local folding = require 'code.folding'
local kernels = require 'code.kernels'
local regions = require 'code.regions'

local function texts_of(lines)
  local texts = {}
  for index, line in ipairs(lines) do texts[index] = line.text end
  return table.concat(texts, '\n') .. '\n'
end

-- What the compiler reads of a kernel, without what it includes.
local function compiled(text, define)
  test.write(test.scratch .. '/kernel', text)
  return test.must([[grep -v '^#include' "$1" |
    ${CXX:-g++} -E -P -undef -nostdinc -x c++ $2 -]],
    test.scratch .. '/kernel', define)
end

-- ---- arms ----
local function check_arm(stage, settings, define)
  local source = regions.of(stage .. '/kernel.cu')
  local lines = arms.lines(source, arms.of(source, settings))
  local whole = compiled(test.read(stage .. '/kernel.cu'), define)
  local arm = compiled(texts_of(lines), define)
  local left = 0
  for _, line in ipairs(lines) do
    if arms.is_directive(line.text) and not line.inside.toggles then
      left = left + 1
    end
  end
  test.ok(#lines > 100 and arm == whole and left == 0,
    stage .. ' ' .. define .. ': what the compiler reads, and no directive',
    left .. ' directives')
end
local stages = kernels.stages()
for _, stage in ipairs(stages) do
  check_arm(stage, {}, '')
  for setting in test.must('tools/toggles/toggles.sh others "$1"', stage)
      :gmatch '[^\n]+' do
    local beside, code = test.sh('tools/toggles/toggles.sh beside "$1" "$2"',
      stage, setting)
    local settings, define = {}, ''
    for name, value in (setting .. ' ' .. beside):gmatch '([%w_]+)=(%w+)' do
      settings[name] = value
      define = define .. ' -D' .. name .. '=' .. value
    end
    if code == 0 then check_arm(stage, settings, define) end
  end
end

-- ---- make diff-stageN ----
local function signed(text, sign)
  local lines = {}
  for line in text:gmatch '[^\n]+' do
    if line:sub(1, 1) == sign and not line:find('^%' .. sign:rep(3)) then
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, '\n')
end
local before
for _, stage in ipairs(stages) do
  local source = regions.of(stage .. '/kernel.cu')
  local lines = arms.lines(source, arms.default(source))
  test.ok(texts_of(lines) == test.must('tools/diff/default-arm.sh "$1"', stage),
    stage .. ": the default arm is diff-stageN's")
  if before then
    local said, ours = test.must('tools/diff/diff-stages.sh "$2" "$1" "$2"',
      before.stage, stage), {}
    for _, step in ipairs(difference.of(before.lines, lines)) do
      local line = step[3] and lines[step[3]] or before.lines[step[2]]
      ours[#ours + 1] = step[1] .. line.text
    end
    ours = table.concat(ours, '\n')
    test.ok(signed(said, '+') ~= '' and
      signed(said, '+') == signed(ours, '+') and
      signed(said, '-') == signed(ours, '-'),
      '  and so are the lines that it adds and removes')
  end
  before = {stage = stage, lines = lines}
end

-- ---- folding: a letter a line; a capital is new, _ is blank ----
local function folded(text, whole)
  local lines, repeated, shown = {}, {}, {}
  for number = 1, #text do
    local letter = text:sub(number, number)
    lines[number] = {number = number, text = letter == '_' and '' or letter}
    repeated[number] = not letter:find '%u' and number or nil
  end
  local rows, any = folding.rows(lines, repeated, whole)
  for index, row in ipairs(rows) do
    shown[index] = row.folded or row.new and row.line.text .. '|'
      or row.line.text
  end
  return table.concat(shown, ' ') .. (any and '' or ' none')
end
for _, case in ipairs {
  {'six repeated lines are all shown', 'AabcdefB', 'A| a b c d e f B|'},
  {'of seven, two on each side', 'AabcdefgB', 'A| a b 3 f g B|'},
  {'and at both ends', 'abcdefghAabcdefgh', 'a b 4 g h A| a b 4 g h'},
  {'what is new is never folded', 'ABCDEFGHI', 'A| B| C| D| E| F| G| H| I|'},
  {'a blank line is new among new ones', 'A_Ba_B', 'A| | B| a  B|'},
  {'where nothing is new, it is said', 'abcdefg', 'a b 3 f g none'},
  {'and of few lines, too', 'abc', 'a b c none'},
  {'on request nothing is folded', 'Aabcdefg', 'A| a b c d e f g', true},
} do
  local name, text, wanted, whole = table.unpack(case)
  local got = folded(text, whole)
  test.ok(got == wanted, name, got)
end
test.finish()
