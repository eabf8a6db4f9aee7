#!tests/lua.sh
-- Every line of every arm whose results the book shows is run by a default case
-- of `check` and by one of `race`, but for those that tests/lines lists.
-- for each stage[0-9]*_* without stage.mk
-- takes: 200 s
local test = dofile 'tests/lib.lua'
local lines = dofile 'tests/lines/lines.lua'
local stage = arg[1]
local results = test.read 'chapters/book.yaml':match '\nresults: ([^\n]*)'
test.enter_copy 'sources'
-- The name of a result is the stage's, the arm's settings, and what it is of.
local arms, seen = {'default'}, {default = true}
for path in test.must('find "$1" -name "$2.*json" | sort', results, stage)
    :gmatch '[^\n]+' do
  local name = path:match '[^/]*$':gsub('%.json$', '')
  for _, what in ipairs {'cold', 'count', 'ncu', 'timeline', 'tune'} do
    name = name:gsub('%.' .. what .. '$', '')
  end
  local arm = test.must('tools/toggles/toggles.sh of-file "$1"', name)
    :match '/(%S+)'
  if not seen[arm] then table.insert(arms, arm) end
  seen[arm] = true
end
test.ok(stage:find '^stage0' or #arms > 1,
  stage .. ': there are arms beside the default one')
-- Whether a line of the list is run after all, the default arm says.
for _, arm in ipairs(arms) do lines.test(test, stage, arm, arm == 'default') end
test.finish()
