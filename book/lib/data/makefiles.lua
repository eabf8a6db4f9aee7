-- The verbs and settings of make, and which command made a recorded file.
local files = require 'common.files'
local makefiles = {}

-- The words of a variable in the Makefiles: a set.
local function words_of_variable(name)
  local words = {}
  for _, path in ipairs(files.matching 'tools/make/[^/]*%.mk') do
    local text = '\n' .. files.text(path):gsub('\\\n', ' ')
    for word in (text:match('\n' .. name .. '%s*:=([^\n]*)') or '')
        :gmatch('%S+') do
      words[word] = true
    end
  end
  return words
end

function makefiles.verbs() return words_of_variable('VERBS') end

-- Settings in any order are one arm.
local function sorted(settings)
  table.sort(settings)
  return table.concat(settings, ' ')
end

local function words_of(text)
  return pandoc.List(text:gmatch('[^%s,]+'))
end

-- A command as {goals, arm, against, flush, text}; against: "stageN" or
-- "stageN:A=0 B=1" = true.
local function parse(text, settings)
  local command = { text = text, goals = {}, against = {},
    flush = text:find('FLUSH_L2=1', 1, true) ~= nil }
  local toggles = {}
  local plain = text:gsub('([%u_%d]+)="([^"]*)"', function(name, value)
    for word in (name == 'AGAINST' and value or ''):gmatch('%S+') do
      local stage, arm = word:match('^(stage%d+:?)(.*)$')
      command.against[(stage or '') .. sorted(words_of(arm or word))] = true
    end
    return ''
  end)
  for word in plain:gmatch('%S+') do
    local name = word:match('^([%u_%d]+)=')
    if not name then
      command.goals[word] = true
    elseif not settings[name] then
      table.insert(toggles, word)
    end
  end
  command.arm = sorted(toggles)
  return command
end

-- Did the command run this arm of this stage? arm: "A=0 B=1", or "".
local function covers(command, verb, stage, arm, flush)
  if not command.goals[verb] or command.flush ~= flush then return false end
  if command.goals[stage] and (command.arm == arm or arm ~= ''
      and command.against[arm]) then
    return true
  end
  return command.against[arm == '' and stage or stage .. ':' .. arm] ~= nil
end

-- The commands that a terminal's record shows.
function makefiles.commands_in(path)
  local list, settings = {}, words_of_variable('SETTINGS')
  for text in ('\n' .. files.text(path)):gmatch('\n%$ ([^\n]+)') do
    list[#list + 1] = parse(text, settings)
  end
  return list
end

-- What an arm sets, "A=0 B=1": one program knows how arms are spelled.
local function settings_of(arm)
  if arm == 'default' then return '' end
  local said = files.said('tools/toggles/toggles.py', { 'settings', arm },
    { 'common/harness/results.c' })
  return ((said or arm):gsub('%s+$', ''))
end

-- The command that made a file with this build_meta: the recorded one that ran
-- its stage and arm, or the template with their names.
function makefiles.command_of(template, meta, recorded)
  local stage = (meta.stage or ''):match('^[^_]+')
  local verb = template:match('^make stageN (%l+)')
  if not stage or not verb then return template end
  local arm = settings_of(meta.arm or 'default')
  for _, command in ipairs(recorded) do
    if covers(command, verb, stage, sorted(words_of(arm)),
        template:find('FLUSH_L2=1', 1, true) ~= nil) then
      return command.text
    end
  end
  return (template:gsub('stageN', stage) .. ' ' .. arm):gsub(' $', '')
end

return makefiles
