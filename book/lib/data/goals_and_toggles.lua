-- What the tree itself says there is: goals and settings of make, toggles of
-- kernels. The back matter must describe each of them, and nothing else.
local files = require 'common.files'
local cache = require 'common.cache'
local kernels = require 'code.kernels'
local report = require 'common.report'
local goals_and_toggles = {}

-- Goals that other goals use; nobody types them.
local INTERNAL = { ['need-headers'] = true, ['need-nvcc'] = true,
  ['need-python'] = true, ['need-gpu'] = true, ['need-tests'] = true,
  ['need-mpi'] = true, ['need-nccl'] = true, ['left-out'] = true,
  ['under-lock'] = true, ['lab-verb'] = true, ['hunt-verb'] = true,
  verbs = true, ['ladder-verbs'] = true,
  ['program-verbs'] = true, FORCE = true, LOCKED = true }

local function makefiles()
  local list = { 'Makefile' }
  for _, path in ipairs(files.matching('.*%.mk')) do
    if not path:match('^tests/book/') then list[#list + 1] = path end
  end
  return list
end

-- Calls found(line, path, number) for each logical line of the Makefiles.
local function each_line(found)
  for _, path in ipairs(makefiles()) do
    local whole, first = '', nil
    for number, line in ipairs(files.lines(files.text(path) or '')) do
      first = first or number
      local head = line:match('^(.*)\\$')
      whole = whole .. (head or line) .. ' '
      if not head then
        found(whole, path, first)
        whole, first = '', nil
      end
    end
  end
end

local function add(list, name, path, number)
  if not INTERNAL[name] and not list[name] then
    list[name] = { file = path, line = number }
  end
end

-- The words of `NAME := ...`, by word: {file, line}.
local function words_of(variable)
  local list = {}
  each_line(function(line, path, number)
    local words = line:match('^' .. variable .. '%s*:=(.*)$') or ''
    for word in words:gmatch('%S+') do add(list, word, path, number) end
  end)
  return list
end

function goals_and_toggles.verbs() return words_of('VERBS') end

function goals_and_toggles.settings() return words_of('SETTINGS') end

-- What a reader can ask make for; % stands for a stage.
function goals_and_toggles.goals()
  local list = goals_and_toggles.verbs()
  each_line(function(line, path, number)
    for word in (line:match('^%.PHONY:(.*)$') or ''):gmatch('%S+') do
      if word == '$(STAGE_GOALS)' then word = 'stageN' end
      if word == '$(LABS)' then word = 'labN' end
      if not word:find('$', 1, true) then add(list, word, path, number) end
    end
    local before = line:match('^([%w-]+)%%%s*:')
    if before then add(list, before .. 'stageN', path, number) end
  end)
  return list
end

-- A list of {stage, name, values, default, file, line} for the book's stages.
function goals_and_toggles.toggles(stages)
  local list = {}
  for _, stage in ipairs(stages) do
    local script, path = 'tools/toggles/toggles.py', kernels.path(stage)
    local text = cache.said(script, { 'list', stage }, { path })
    if not text then
      report.line(script, nil, 'it failed for %s', stage)
      text = ''
    end
    for name, default, values in text:gmatch('(%S+) (%S+) ([^\n]+)\n') do
      list[#list + 1] = { stage = stage, name = name, default = default,
        values = values, file = path,
        line = files.line_of(path, '// toggle ' .. name .. ':') }
    end
  end
  return list
end

return goals_and_toggles
