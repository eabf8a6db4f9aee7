-- The mistakes that a hunt can plant in a stage, by level:
--   1  `race` names it: judged mistakes of tools/mutants, and those of
--      tests/races/planted.list
--   2  `race` is silent and `check` fails
--   3  the numbers are right, and it costs time: slow.list
local files = dofile 'tools/labs/files.lua'
local folder_of = dofile 'tools/source/folder.lua'
local kinds = dofile 'tools/bughunt/kinds.lua'
local programs = dofile 'tools/labs/programs.lua'
-- counted: the shape at which counters are compared
local mistakes = {counted = '1,2,300,64'}

local function lines_of(text)
  local lines = {}
  for line in (text .. '\n'):gmatch '(.-)\n' do lines[#lines + 1] = line end
  return lines
end

local function fields_of(line)
  local fields = {}
  for field in (line .. '|'):gmatch ' *(.-) *|' do
    fields[#fields + 1] = field
  end
  return fields
end

-- Entries of a list with bars that are this stage's.
local function entries(path, stage)
  local list = {}
  for line in files.read(path):gmatch '[^\n]+' do
    local fields = fields_of(line)
    if fields[1] == stage then list[#list + 1] = fields end
  end
  return list
end

-- A judged mistake is known by its region, its rule and its sentence: numbers
-- and lines change with the kernel. One that is there twice is passed over.
local function add_judged(list, stage, verdict)
  local judged
  local record = files.read 'results/mutants.json' or '{"stages": []}'
  for _, one in ipairs(pandoc.json.decode(record, false).stages) do
    if one.stage == stage then judged = one.verdicts end
  end
  if not judged then return end
  local numbers = {}
  for line in programs.answer('build/tools/mutate list ' .. stage)
      :gmatch '[^\n]+' do
    local number, key = line:match '^(%d+)|(.*)$'
    key = key:gsub('|%d+|', '|', 1)
    numbers[key] = numbers[key] == nil and number or false
  end
  for _, m in ipairs(judged) do
    local number = numbers[table.concat({m.region, m.rule, m.sentence}, '|')]
    local kind = kinds.by_rule[m.rule]
    -- What only hangs, and at a longer shape, is waited for and not seen.
    if m.verdict == verdict and m.arm == 'default' and kind and number and
        not m.says:find('timed out', 1, true) then
      list[#list + 1] = {kind = kind, command = string.format(
        'build/tools/mutate make %s %s', stage, number)}
    end
  end
end

local function planting(stage, where, edit)
  return string.format('build/tests/plant edit %s/kernel.cu %s %s',
    folder_of(stage),
    files.quoted(where), files.quoted(edit))
end

-- Of what kind an entry of planted.list is, by what it does and to what.
local function kind_of(where, edit)
  local code = where .. edit
  for _, word in ipairs {'commit', 'fence', 'wait', 'arriv', 'release'} do
    if code:find(word, 1, true) then
      return kinds.by_name[(word:gsub('^arriv$', 'arrival')
        :gsub('release', 'arrival'))]
    end
  end
  return code:find 'sync' and kinds.by_name.barrier
end

local function add_planted(list, stage)
  for _, f in ipairs(entries('tests/races/planted.list', stage)) do
    local kind = kind_of(f[3], f[4])
    if kind then
      list[#list + 1] = {kind = kind, command = planting(stage, f[3], f[4])}
    end
  end
end

local function add_slow(list, stage)
  for _, f in ipairs(entries('tools/bughunt/slow.list', stage)) do
    list[#list + 1] = {kind = assert(kinds.by_name[f[4]], f[4]),
      counter = f[5], command = planting(stage, f[2], f[3])}
  end
end

function mistakes.of(stage, level)
  local list = {}
  if level == 1 then
    add_judged(list, stage, 'race')
    add_planted(list, stage)
  elseif level == 2 then
    add_judged(list, stage, 'check')
  else
    add_slow(list, stage)
  end
  return list
end

-- A lone semicolon would betray where a statement was. nil where one has to
-- stay, behind a condition or a loop.
local function tidy(text)
  local kept, code = {}, ''
  for _, line in ipairs(lines_of(text)) do
    local bare = line:gsub('//.*', ''):gsub('%s+$', '')
    if bare:find '^%s*;$' then
      if not code:find '[;{}]$' then return end
    else
      if bare:find '%)%s+;$' then return end
      kept[#kept + 1] = line
      if bare:find '%S' and not bare:find '^#' then code = bare end
    end
  end
  return (table.concat(kept, '\n'):gsub('\n+$', '\n'))
end

-- Lines that a text has and another has not, so many times.
local function counted(text)
  local times = {}
  for _, line in ipairs(lines_of(text)) do
    line = line:gsub('//.*', ''):gsub('%s', '')
    if line ~= '' then times[line] = (times[line] or 0) + 1 end
  end
  return times
end

-- Whether a line that the mistake has brought is still there.
function mistakes.is_there(mistake, text)
  local here = counted(text)
  local before, after = counted(mistake.book), counted(mistake.text)
  for line, times in pairs(after) do
    if times > (before[line] or 0) and (here[line] or 0) > (before[line] or 0)
    then
      return line
    end
  end
end

-- The line in which two texts begin to differ, and the innermost region there.
local function place_of(book, text)
  local lines, others, open = lines_of(text), lines_of(book), {}
  for number, line in ipairs(lines) do
    if line ~= others[number] then return number, open[#open] end
    local opened = line:match '^%s*//> (%S+)'
    if opened then open[#open + 1] = opened end
    if line:find '^%s*//< ' then table.remove(open) end
  end
end

-- Fills in what is asked of the one that was drawn; nil where it will not do.
function mistakes.planted(mistake, book)
  local text = programs.answer(mistake.command .. ' 2>/dev/null')
  mistake.text = text and tidy(text)
  if not mistake.text then return end
  mistake.book = book
  mistake.line, mistake.region = place_of(book, mistake.text)
  return mistake.region and mistake
end

return mistakes
