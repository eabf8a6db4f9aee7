#!tests/lua.sh
-- The book's index of goals against make's own database, and the goals that
-- `make` alone names against the index.
local test = dofile 'tests/lib.lua'
for name in ('MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES'):gmatch '%S+' do
  test.environment[name] = false
end

-- The keys of one set that another lacks, in order.
local function lacking(set, other)
  local keys = {}
  for key in pairs(set) do
    if not other[key] then table.insert(keys, key) end
  end
  table.sort(keys)
  return table.concat(keys, '\n'), #keys
end

local index, goals = {}, {stageN = true, ['diff-stageN'] = true,
  labN = true}
local section = test.read 'chapters/back/goals.md'
  :match '\n::: {%.goals}(.-)\n:::\n'
for goal in section:gmatch '\n`([^`]*)`' do index[goal] = true end
-- What no reader types, and the stages, which the index has as one.
local unlisted = {['left-out'] = true, verbs = true, FORCE = true,
  ['lab-verb'] = true, ['hunt-verb'] = true, ['under-lock'] = true,
  ['ladder-verbs'] = true}
local database = test.sh 'make -npq LOCKED=1 help 2>/dev/null'
for line in database:gmatch '\n%.PHONY: *([^\n]*)' do
  for goal in line:gmatch '%S+' do
    if not unlisted[goal] and not goal:find '^need%-' and
        not goal:find '^stage%d' and not goal:find '^lab[%dw]' then
      goals[goal] = true
    end
  end
end
test.ok(select(2, lacking(goals, {})) > 22, "make's database has goals")
local few, many = lacking(goals, index), lacking(index, goals)
test.ok(few .. many == '', 'the index has each of them, and no other',
  few .. '\n' .. many)

local help, named = {}, 0
local words = test.sh
  [[grep -oE 'make [a-z0-9-]+( [a-z]+(, [a-z]+)*)?' tools/make/help.sh]]
words = words:gsub('stage%d', 'stageN'):gsub('lab%d', 'labN')
for goal in words:gmatch '[%w-]+' do
  if goal ~= 'make' then help[goal] = true end
end
few, named = lacking(help, index)
test.ok(select(2, lacking(help, {})) > 12, 'make alone names goals')
test.ok(named == 0, 'all of which the index has', few)
test.finish()
