#!tests/lua.sh
-- Plants one mistake after another in a copy of the tree and asks `make race`,
-- as a reader would: it must fail, name the kind, and show both source lines.
-- for each stage[0-9]*_* without stage.mk
-- takes: 30 s
-- drawn: 1
local test = dofile 'tests/lib.lua'
local stage, list = arg[1], 'tests/races/planted.list'
local kernel = stage .. '/kernel.cu'
local plant = test.folder .. '/build/tests/plant '
test.enter_copy()
test.only_stage(stage)

-- The rings of the later stages go round. With the mask and three heads stage
-- 16 skips tiles in a wide block, turns its order, and chooses a low block,
-- too. Stage 17 puts sums away from 897 keys on.
local ring, laps = {'1,1,600,64'}, {'1,1,900,64'}
local heads = {'1,1,600,64', '1,4,130,64'}
local turns = {'1,1,900,64', '1,3,333,128,causal', '1,3,513,128,causal'}
local skips = {'1,1,600,64', '1,3,333,128,causal', '1,3,513,128,causal',
  '1,3,390,128,causal'}
local long = {stage6 = {'1,1,230,64'}, stage7 = {'1,1,230,64'}, stage8 = ring,
  stage9 = ring, stage10 = heads, stage11 = heads, stage12 = heads,
  stage13 = laps, stage14 = laps, stage15 = turns, stage16 = skips,
  stage17 = {'1,1,1301,64,causal', '1,3,513,128,causal', '1,3,390,128,causal'}}
local shapes = long[stage:match '^%w+'] or {'1,1,97,64'}
table.insert(shapes, 1, 'small')
local function races(of)
  return 'make ' .. stage .. ' race TARGET=cpu SHAPES="' ..
    table.concat(of, ' ') .. '"'
end
test.ends(stage .. ' as it is has no finding', 0, '', races(shapes))
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
    -- One shape after another, until one finds it.
    local all, why, found = '', '', 1
    for _, shape in ipairs(shapes) do
      local said, raced = test.sh(races {shape})
      all = all .. said
      test.write('said', all)
      why, found = test.sh(plant .. 'found ' .. list .. ' "$@"', stage, name,
        kernel, 'said')
      if raced == 0 then found = 1 end
      if found == 0 then break end
    end
    test.ok(found == 0, stage .. ': ' .. name, all .. why)
  end
end

-- One shape that hangs or fails keeps no other from its turn.
local said, code = test.sh(races(shapes))
local each = code ~= 0
for _, shape in ipairs(shapes) do
  each = each and said:find('\n' .. shape .. ': %d* finding')
end
test.ok(each, stage .. ': each shape is tried, whatever the others gave', said)
test.finish()
