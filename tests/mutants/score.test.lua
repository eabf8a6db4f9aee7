#!tests/lua.sh
-- What results/mutants says is of these kernels and these rules, and nothing
-- in it survives. A stale record is a skip, and with RELEASE=1 a failure.
local test = dofile 'tests/lib.lua'
local REASONS = {same = true, class = true, hand = true}
local KILLED = {race = true, check = true, time = true}

-- Why a record is not of these mistakes: one sentence, or nothing.
local function fault(record, hash, chosen)
  if not record then return 'there is no record' end
  if record.build_meta.kernel_hash ~= hash then return 'another kernel' end
  local by_number = {}
  for _, line in ipairs(chosen) do
    local number, _, _, rule, sentence =
      line:match '^(%d+)|([^|]*)|(%d+)|([^|]*)|(.*)$'
    by_number[tonumber(number)] = rule .. ' ' .. sentence
  end
  if #record.verdicts == 0 or #record.verdicts > #chosen then
    return 'it has ' .. #record.verdicts .. ' mistakes'
  end
  for _, m in ipairs(record.verdicts) do
    if by_number[m.number] ~= m.rule .. ' ' .. m.sentence then
      return 'it has another mistake ' .. m.number
    end
  end
end

-- The first that is neither found nor equivalent.
local function survivor(record)
  for _, m in ipairs(record.verdicts) do
    if not KILLED[m.verdict] and m.verdict ~= 'build' and
        not (REASONS[m.verdict] and m.says ~= '') then
      return m.verdict .. ': ' .. m.sentence
    end
  end
end

local before, sum, by_hand, some, stale = '', 0, 0, nil, false
for stage in test.must 'tools/source/ladder.sh':gmatch '[^\n]+' do
  local record = test.json('results/mutants/' .. stage .. '.json')
  local hash = test.must('tools/results/kernel-hash.sh $1', stage):match '%x+'
  local chosen = test.lines(test.must('build/tools/mutate choose $1 $2', stage,
    before))
  local why = fault(record, hash, chosen)
  local name = stage .. ': what results/mutants has is of this kernel'
  stale = stale or why ~= nil
  if why and os.getenv 'RELEASE' ~= '1' then
    test.skip(name, 'stale: make mutants STAGE=' .. stage:match '%d+' .. ': ' ..
      why)
  else
    test.ok(not why, name, why)
  end
  if not why then
    local score = record.score
    test.ok(score.judged + score.not_compiled == #record.verdicts and
      score.survived == 0 and not survivor(record),
      stage .. ': nothing survives', survivor(record))
    sum, by_hand = sum + score.judged, by_hand + score.equivalent_by_hand
    some = {record, hash, chosen}
  end
  before = stage
end
local total = test.json 'results/mutants.json' or {}
test.ok(total.judged and total.judged >= sum,
  'results/mutants.json has their sum', total.judged)
if stale and sum < 400 and os.getenv 'RELEASE' ~= '1' then
  test.skip('together they are at least 400', 'stale: ' .. sum)
else
  test.ok(sum >= 400, 'together they are at least 400', sum)
end
test.ok(by_hand * 20 <= sum, 'at most 5 % are judged by hand', by_hand)

-- ---- records that are not right ----

local function spoilt(name, why, change)
  local record, hash, chosen = table.unpack(some)
  record = pandoc.json.decode(pandoc.json.encode(record), false)
  change(record)
  local said = fault(record, hash, chosen) or survivor(record)
  test.ok(said and said:find(why, 1, true), name, said)
end
if some then
  spoilt('a record of another kernel', 'another kernel',
    function(r) r.build_meta.kernel_hash = 'x' end)
  spoilt('another sentence', 'another mistake',
    function(r) r.verdicts[1].sentence = 'x' end)
  spoilt('no mistakes', 'it has 0', function(r) r.verdicts = {} end)
  spoilt('a survivor', 'survived',
    function(r) r.verdicts[1].verdict = 'survived' end)
  spoilt('no reason', 'hand', function(r)
    r.verdicts[1].verdict, r.verdicts[1].says = 'hand', ''
  end)
end
test.ok(fault(nil) == 'there is no record', 'no record')
test.finish()
