#!tests/lua.sh
-- The gates of every stage at two small shapes, and, from the first stage on
-- that takes them, with a mask, shared heads and D = 128. (gates.test.lua asks
-- more, of the stages that are drawn.)
-- takes: 5 s
local test = dofile 'tests/lib.lua'

-- A step and a short one; more steps than a ring has slots.
local PLAIN = '--shape 1,1,33,64 --shape 1,2,330,64'
local MORE = '--shape 1,2:1,97,128,causal --shape 2,2,65,64,causal'

local function check(stage, shapes)
  return 'build/cpu/' .. stage .. '/default/program check --seeds 0 ' ..
    '--distribution normal ' .. shapes
end

local function passes(stage, shapes)
  local said = test.ends(stage .. ' check ' .. shapes, 0, '',
    check(stage, shapes))
  local _, passed = said:gsub(' passed\n', '')
  test.ok(passed == 2, '  each shape has its verdict', said)
end

local take_more = 0
for _, stage in ipairs(test.lines(test.must 'tools/source/ladder.sh')) do
  passes(stage, PLAIN)
  local said, code = test.sh(check(stage, MORE))
  if code ~= 3 or take_more > 0 then
    passes(stage, MORE)
    take_more = take_more + 1
  else
    test.ok(said:find 'This stage takes ', '  refuses the others in a sentence',
      said)
  end
end
test.ok(take_more > 0, 'some take masks, shared heads and D = 128')
test.finish()
