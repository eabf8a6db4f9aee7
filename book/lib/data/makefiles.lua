-- What can be asked of make, as tools/make has it: its goals and settings,
-- which the back matter must describe, and nothing else; and which command made
-- a recorded file.
local files = require 'common.files'
local makefiles = {}

-- The words of a name in tools/make/words.py: {file, line} by word, added to a
-- list. A backslash at a line's end joins the next.
local function words_called(name, list)
  local path = 'tools/make/words.py'
  local text = (files.text(path) or ''):gsub('\\\n', '')
  for number, line in ipairs(files.lines(text)) do
    for word in (line:match('^' .. name .. ' = "(.*)"') or ''):gmatch('%S+') do
      list[word] = { file = path, line = number }
    end
  end
  return list
end

function makefiles.verbs() return words_called('VERBS', {}) end

function makefiles.settings() return words_called('SETTINGS', {}) end

-- What a reader can ask make for.
function makefiles.goals()
  local path = 'tools/make/actions.py'
  local list = words_called('LAB_VERBS', words_called('OTHERS',
    makefiles.verbs()))
  for number, line in ipairs(files.lines(files.text(path) or '')) do
    local goal = line:match('^    "([%w-]+)": ')
    if goal then list[goal] = { file = path, line = number } end
  end
  return list
end

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
  local list, settings = {}, makefiles.settings()
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
