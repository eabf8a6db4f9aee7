-- What became of a stage's mistakes: summed up, printed, written.
local read = dofile('tools/labs/files.lua').read
local output = dofile('tools/labs/programs.lua').output
local folder_of = dofile 'tools/source/folder.lua'
local report = {}

local KINDS = {race = 'killed_by_race', check = 'killed_by_check',
  time = 'killed_by_time', build = 'not_compiled', same = 'same_machine_code',
  class = 'equivalent_by_class', hand = 'equivalent_by_hand',
  survived = 'survived'}

-- What does not compile is no mistake that anybody could make.
local function count(into, m)
  for _, name in pairs(KINDS) do into[name] = into[name] or 0 end
  local kind = assert(KINDS[m.verdict], m.verdict)
  into[kind] = into[kind] + 1
  into.killed = into.killed_by_race + into.killed_by_check +
    into.killed_by_time
  into.equivalent = into.same_machine_code + into.equivalent_by_class +
    into.equivalent_by_hand
  into.judged = into.killed + into.equivalent + into.survived
end

function report.sum(all)
  local score = {rules = {}}
  for _, m in ipairs(all) do
    count(score, m)
    score.rules[m.rule] = score.rules[m.rule] or {}
    count(score.rules[m.rule], m)
  end
  return score
end

-- The survivors and the sum; `each`: a line for each mistake before them.
function report.print(stage, all, score, each)
  for _, m in ipairs(all) do
    if each then
      print(string.format('mistake %s: %s', m.number, m.verdict))
    end
    if m.verdict == 'survived' then
      print(string.format('survived: %s/kernel.cu:%d, mistake %s (%s, %s): %s',
        folder_of(stage), m.line, m.number, m.rule, m.arm, m.sentence))
      if m.words ~= '' then print('  ' .. m.words) end
    end
  end
  print(string.format('%s: %d mistakes judged; killed %d: by race %d, by ' ..
    'check %d, by time %d; equivalent %d: the same machine code %d, by ' ..
    'class %d, by hand %d; not compiled %d; survived %d', stage, score.judged,
    score.killed, score.killed_by_race, score.killed_by_check,
    score.killed_by_time, score.equivalent, score.same_machine_code,
    score.equivalent_by_class, score.equivalent_by_hand, score.not_compiled,
    score.survived))
end

local function put(value, path)
  local pipe = assert(io.popen(
    "python3 tools/results/compact.py >'" .. path .. "'", 'w'))
  pipe:write(pandoc.json.encode(value))
  assert(pipe:close(), 'cannot write ' .. path)
end

-- Puts a stage's record in place of an older one, and sums all up.
function report.write(stage, all, score, path)
  local record = {stage = stage, verdicts = {},
    kernel_hash = output('tools/results/kernel-hash.sh ' .. stage):match '%x+'}
  for key, value in pairs(score) do record[key] = value end
  for i, m in ipairs(all) do
    record.verdicts[i] = {number = tonumber(m.number), region = m.region,
      line = m.line, rule = m.rule, sentence = m.sentence, arm = m.arm,
      verdict = m.verdict, says = m.words}
  end
  local old = read(path)
  old = old and pandoc.json.decode(old, false).stages or {}
  local total = {stages = {}}
  for name in output 'tools/source/ladder.sh':gmatch '[^\n]+' do
    local one = name == stage and record
    for _, other in ipairs(old) do
      if other.stage == name then one = one or other end
    end
    if one then table.insert(total.stages, one) end
  end
  for _, one in ipairs(total.stages) do
    for key, value in pairs(one) do
      if math.type(value) then total[key] = (total[key] or 0) + value end
    end
  end
  put(total, path)
end

return report
