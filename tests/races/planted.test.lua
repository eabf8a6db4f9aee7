#!tests/lua.sh
-- Plants one mistake after another in a copy of the tree and asks `make race`,
-- as a reader would: it must fail, name the kind, and show both source lines.
-- for each stage[0-9]*_*
-- takes: 40 s
local test = dofile 'tests/lib.lua'
local stage, list = arg[1], 'tests/races/planted.list'
local kernel = stage .. '/kernel.cu'
local plant = test.folder .. '/build/tests/plant '
test.enter_copy()
test.only_stage(stage)
local race = 'make ' .. stage .. ' race TARGET=cpu'
test.ends(stage .. ' as it is has no finding', 0, '', race)

-- A ring of stage 7 goes round.
local shape = stage:find '^stage7_' and '1,1,600,64' or '1,1,97,64'
local original, names = test.read(kernel), {}
for _, line in ipairs(test.lines(test.must(plant .. 'list ' .. list))) do
  table.insert(names, line:match('^' .. stage .. '|(.*)'))
end
test.ok(#names > 0, stage .. ': there are mistakes to plant')
for _, name in ipairs(names) do
  test.write(kernel, original)
  local planted, code = test.sh(plant .. 'kernel ' .. list .. ' "$@"', stage,
    name)
  if code ~= 0 then
    test.ok(false, stage .. ': ' .. name .. ': nothing to plant it in', planted)
  else
    test.write(kernel, planted)
    local said, raced = test.sh(race .. ' SHAPES="small ' .. shape .. '"')
    test.write('said', said)
    local why, found = test.sh(plant .. 'found ' .. list .. ' "$@"', stage,
      name, kernel, 'said')
    -- One shape that hangs keeps no other from its turn.
    test.ok(raced ~= 0 and found == 0 and said:find '\nsmall: %d* finding' and
      said:find('\n' .. shape .. ': %d* finding'), stage .. ': ' .. name,
      said .. why)
  end
end
test.finish()
