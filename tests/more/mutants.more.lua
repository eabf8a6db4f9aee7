#!tests/lua.sh
-- Every mistake that is judged of a stage is found or equivalent, and what
-- results/mutants says of each is so. Verdicts that `make mutants` has kept are
-- taken: it keeps each under all that it depends on.
-- for each stage[0-9]*_* without stage.mk
-- takes: 600 s
local test = dofile 'tests/lib.lua'
local stage = arg[1]
local path = 'results/mutants/' .. stage .. '.json'
local recorded = test.json(path) or {verdicts = {}}
local verdicts = 'build/mutants/' .. stage .. '/kept'
local kept = test.read(verdicts)
test.enter_copy 'sources'
if kept then
  test.must('mkdir -p "$1"', verdicts:match '(.*)/')
  test.write(verdicts, kept)
end
-- What it depends on: of the other stages only the one before.
test.must([[rm -f results/mutants/*.json
  . tests/lib.sh
  only_stage $(tools/source/ladder.sh | grep -x -B 1 "$1")]], stage)
test.ends(stage .. ': no mistake survives', 0, 'survived 0',
  'make mutants STAGE="$1"', stage)
local now = test.json(path) or {verdicts = {}}
test.ok(#now.verdicts > 0 and #now.verdicts == #recorded.verdicts,
  stage .. ': as many as recorded', #now.verdicts)
for i, m in ipairs(now.verdicts) do
  local before = recorded.verdicts[i] or {}
  test.ok(m.sentence == before.sentence and m.verdict == before.verdict,
    string.format('%s, %s: %s, %s', stage, m.rule, m.sentence, m.verdict),
    before.verdict)
end
test.finish()
