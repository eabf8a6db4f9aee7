#!tests/lua.sh
-- One of a stage's mistakes, drawn by a seed, gets the verdict that is
-- recorded. SEED=N draws another. All of them: tests/more/mutants.more.lua. A
-- stage whose mistakes have not been judged yet has nothing to be held against.
-- for each stage[0-9]*_* without stage.mk
-- takes: 20 s
-- drawn: 1
local test = dofile 'tests/lib.lua'
local stage, seed = arg[1], os.getenv 'SEED' or '1'
local file = 'results/mutants/' .. stage .. '.json'
if not test.read(file) then
  test.skip(stage .. ': a sample gets the verdict that is recorded',
    'make mutants STAGE=' .. stage .. ' has not been recorded yet')
  test.finish()
  return
end
local recorded = test.json(file) or {verdicts = {}}
test.enter_copy()
test.environment.SAMPLE = seed .. ' 1'
local said = test.ends(stage .. ': a sample is found or equivalent', 0,
  'survived 0', 'make mutants STAGE="$1"', stage)
local count = 0
for number, verdict in said:gmatch 'mistake (%d+): (%l+)' do
  local found
  for _, m in ipairs(recorded.verdicts) do
    found = found or (m.number == tonumber(number) and m)
  end
  count = count + 1
  test.ok(found and found.verdict == verdict, string.format(
    '%s, mistake %s: %s', stage, number, verdict), found and found.verdict)
end
test.ok(count == 1, stage .. ': one was judged', said)
test.finish()
