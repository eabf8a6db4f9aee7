-- Which command made a recorded file.
local cache = require 'common.cache'
local files = require 'common.files'
local run_commands = {}

-- Settings in any order are one arm.
local function sorted(arm)
  local list = {}
  for setting in arm:gmatch('[^,]+') do list[#list + 1] = setting end
  table.sort(list)
  return table.concat(list, ',')
end

-- A command as {goals, toggles, against, flush, text}.
local function parse(text, settings)
  local command = { text = text, goals = {}, toggles = {}, against = {},
    flush = text:find('FLUSH_L2=1', 1, true) ~= nil }
  local plain = text:gsub('([%u_%d]+)="([^"]*)"', function(name, value)
    if name == 'AGAINST' then
      for word in value:gmatch('%S+') do
        local stage, arm = word:match('^(stage%d+:?)(.*)$')
        command.against[(stage or '') .. sorted(arm or word)] = true
      end
    end
    return ''
  end)
  for word in plain:gmatch('%S+') do
    local name = word:match('^([%u_%d]+)=')
    if not name then
      command.goals[word] = true
    elseif not settings[name] then
      table.insert(command.toggles, word)
    end
  end
  return command
end

-- Did the command run this arm of this stage? arm: "A=0,B=1", or "".
local function covers(command, verb, stage, arm, flush)
  if not command.goals[verb] or command.flush ~= flush then return false end
  if command.goals[stage] then
    if sorted(table.concat(command.toggles, ',')) == arm then return true end
    if arm ~= '' and command.against[arm] then return true end
  end
  return command.against[arm == '' and stage or stage .. ':' .. arm] ~= nil
end

-- The commands that a terminal's record shows.
function run_commands.in_file(path, settings)
  local list = {}
  for line in files.text(path):gmatch('[^\n]+') do
    local text = line:match('^%$ (.+)$')
    if text then list[#list + 1] = parse(text, settings) end
  end
  return list
end

-- What an arm sets, "A=0,B=1": one program knows how arms are spelled.
local function settings_of(arm)
  if arm == 'default' then return '' end
  local said = cache.said('tools/toggles/toggles.py', { 'settings', arm },
    { 'common/harness/results.c' })
  return ((said or arm):gsub('%s+$', ''):gsub(' ', ','))
end

-- The command that made a file with this build_meta: the recorded one that ran
-- its stage and arm, or the template with their names.
function run_commands.of(template, meta, recorded)
  local stage = (meta.stage or ''):match('^[^_]+')
  local verb = template:match('^make stageN (%l+)')
  if not stage or not verb then return template end
  local arm = settings_of(meta.arm or 'default')
  local flush = template:find('FLUSH_L2=1', 1, true) ~= nil
  for _, command in ipairs(recorded) do
    if covers(command, verb, stage, sorted(arm), flush) then
      return command.text
    end
  end
  local text = template:gsub('stageN', stage)
  return arm == '' and text or text .. ' ' .. arm:gsub(',', ' ')
end

return run_commands
