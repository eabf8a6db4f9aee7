-- What became of a stage's mistakes: summed up, printed, written.
local files = dofile 'tools/mutants/judge/files.lua'
local folder_of = dofile 'tools/source/folder.lua'
local output, read = files.output, files.read
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

function report.write(stage, all, score, path)
  local verdicts = {}
  for i, m in ipairs(all) do
    verdicts[i] = {number = tonumber(m.number), region = m.region,
      line = m.line, rule = m.rule, sentence = m.sentence, arm = m.arm,
      verdict = m.verdict, says = m.words}
  end
  local hash = output('tools/results/kernel-hash.sh ' .. stage):match '%x+'
  put({verdicts = verdicts, score = score,
    build_meta = {stage = stage, kernel_hash = hash}}, path)
end

-- The sums of all records in a folder, and of each.
function report.total(folder, path)
  local total = {stages = {}}
  for name in output("ls -v '" .. folder .. "'/*.json"):gmatch '[^\n]+' do
    local record = pandoc.json.decode(read(name), false)
    local one = {stage = record.build_meta.stage}
    for key, value in pairs(record.score) do
      if key ~= 'rules' then
        one[key], total[key] = value, (total[key] or 0) + value
      end
    end
    table.insert(total.stages, one)
  end
  put(total, path)
end

return report
