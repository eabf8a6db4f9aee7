#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- judge.lua STAGE: judges the mistakes that tools/mutants makes of its kernel.
-- Each must be found by `race` or `check`, or be equivalent; exit code 1 where
-- one survives. Writes them, and the sums over all stages, to
-- results/mutants.json. The verdicts so far are kept in build/mutants, so
-- that a run which was stopped goes on there. In the environment:
--   SAMPLE="SEED N"  only N of them, drawn by a seed; prints each verdict, and
--                    writes nothing
--   JOBS=N           so many at a time, not as many as there are processors
local here = 'tools/mutants/judge/'
local arms = dofile(here .. 'arms.lua')
local equivalent = dofile(here .. 'equivalent.lua')
local files = dofile 'tools/labs/files.lua'
local generator = dofile 'tools/labs/random.lua'
local output = dofile('tools/labs/programs.lua').output
local report = dofile(here .. 'report.lua')
local read = files.read
local stage = arg[1]
local folder = 'build/mutants/' .. stage
local list = equivalent.read(here .. 'equivalent.list')

local function stage_before()
  local before = ''
  for name in output 'tools/source/ladder.sh':gmatch '[^\n]+' do
    if name == stage then return before end
    before = name
  end
end

-- The mistakes that are compiled in an arm that does not print.
local function chosen()
  local all, arm_of = {}, arms.of(stage)
  for line in output(string.format('build/tools/mutate choose %s %s', stage,
      stage_before())):gmatch '[^\n]+' do
    local m = {}
    m.number, m.region, m.line, m.rule, m.sentence =
      line:match '^(%d+)|([^|]*)|(%d+)|([^|]*)|(.*)$'
    m.line = tonumber(m.line)
    m.arm = arm_of(m.line)
    if m.arm then all[#all + 1] = m end
  end
  return all
end

-- N of them
local function draw(all, seed, count)
  local next_number, drawn = generator(seed), {}
  while #drawn < count and #all > 0 do
    drawn[#drawn + 1] = table.remove(all, next_number(#all) + 1)
  end
  return drawn
end

local jobs = tonumber(os.getenv 'JOBS' or output 'nproc')

-- Objects to link a mistake with, in the arms of these.
local function build(all)
  local seen, goals = {}, {}
  for _, m in ipairs(all) do
    for _, target in ipairs {'instrumented', 'cpu'} do
      local goal = string.format('build/%s/%s/%s/program', target, stage, m.arm)
      if not seen[goal] then goals[#goals + 1], seen[goal] = goal, true end
    end
  end
  assert(#all == 0 or os.execute(string.format('%s -s LOCKED=1 -j%d %s',
    os.getenv 'MAKE' or 'make', jobs, table.concat(goals, ' '))))
end

-- What a verdict depends on: the mistake, how it is compiled and with which
-- headers, the executor, the harness.
local function add_keys(all)
  local parts = {output 'cat $(find common/device common/simt -type f | sort)'}
  -- The tree's own place changes nothing in an object.
  local tree = output('pwd -P'):match '[^\n]+'
  for _, name in ipairs {'INSTRUMENTED', 'PLAIN', 'DEVICE'} do
    local command = os.getenv('COMPILE_' .. name) or ''
    parts[#parts + 1] = command:gsub('=' .. tree:gsub('%p', '%%%0') .. '=',
      '=.=')
  end
  for name in os.getenv 'LINK_WITH':gmatch '%S+%.o' do
    parts[#parts + 1] = read(name)
  end
  local base = pandoc.utils.sha1(table.concat(parts))
  for _, m in ipairs(all) do
    local text = output(string.format('build/tools/mutate make %s %s', stage,
      m.number))
    m.class, m.hand = equivalent.find(list, m), equivalent.find(list, m, stage)
    m.known = (m.class or m.hand) and 'known' or ''
    m.key = pandoc.utils.sha1(base .. m.arm .. m.known .. text)
  end
end

-- What is kept, by key.
local function verdicts()
  local kept = {}
  for line in (read(folder .. '/kept') or ''):gmatch '[^\n]+' do
    local key, verdict, words = line:match '^(%x+)|([^|]*)|(.*)$'
    if key then kept[key] = {verdict = verdict, words = words} end
  end
  return kept
end

-- Job j of n takes every nth of them, from the jth on.
local function start(job, waiting)
  local work = string.format('%s/list%d', folder, job)
  local file = assert(io.open(work, 'w'))
  for i = job, #waiting, jobs do
    local m = waiting[i]
    file:write(m.number, '|', m.arm, '|', m.known, '|', m.key, '\n')
  end
  file:close()
  return assert(io.popen(string.format('%stry.lua %s %s/job%d %s/kept %s',
    here, stage, folder, job, folder, work)))
end

local function judge(all)
  local kept, waiting, pipes = verdicts(), {}, {}
  for _, m in ipairs(all) do
    if not kept[m.key] then waiting[#waiting + 1] = m end
  end
  build(waiting)
  for job = 1, math.min(jobs, #waiting) do
    pipes[job] = start(job, waiting)
  end
  for _, pipe in ipairs(pipes) do
    assert(pipe:close(), 'the judge could not go on')
  end
  kept = verdicts()
  for _, m in ipairs(all) do
    m.verdict, m.words = kept[m.key].verdict, kept[m.key].words
  end
end

-- Why it is equivalent. An entry by hand that is wrong or idle is a fault.
local function add_reasons(all)
  for _, m in ipairs(all) do
    if m.verdict == 'known' then
      m.verdict = m.class and 'class' or 'hand'
      m.words = (m.class or m.hand).why
    elseif m.hand and m.verdict ~= 'same' then
      m.words = string.format('equivalent.list has it, but: %s %s', m.verdict,
        m.words)
      m.verdict = 'survived'
    end
  end
end

os.execute('mkdir -p ' .. folder)
local seed, count = (os.getenv 'SAMPLE' or ''):match '^(%d+) (%d+)$'
local all = chosen()
if seed then all = draw(all, tonumber(seed), tonumber(count)) end
add_keys(all)
judge(all)
add_reasons(all)
local score = report.sum(all)
report.print(stage, all, score, seed)
if not seed then
  report.write(stage, all, score, 'results/mutants.json')
end
os.exit(score.survived == 0 and 0 or 1)
