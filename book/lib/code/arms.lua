-- The arms of a kernel: which of its lines are compiled where its toggles have
-- some values. unifdef decides. The region "toggles" is in every arm as it is.
-- tools/diff/diff.py, by which `make diff-stageN` compares, does the
-- same.
local cache = require 'common.cache'
local files = require 'common.files'
local goals_and_toggles = require 'data.goals_and_toggles'
local kernels = require 'code.kernels'
local report = require 'common.report'
local arms = {}
local toggles, defaults = {}, {}

local function toggles_of(stage)
  toggles[stage] = toggles[stage] or goals_and_toggles.toggles { stage }
  return toggles[stage]
end

local DIRECTIVES = { ['if'] = true, ifdef = true, ifndef = true, elif = true,
                     ['else'] = true, endif = true }

-- Does a line only choose which lines are compiled?
function arms.is_directive(text)
  return DIRECTIVES[text:match('^%s*#%s*(%l+)') or ''] == true
end

function arms.is_blank(text) return not text:find('%S') end

-- unifdef leaves a blank line where it takes one out: so none else is blank.
local function input_of(source)
  local texts = {}
  for index, line in ipairs(source.lines) do
    local stays = line.inside.toggles or arms.is_blank(line.text)
    texts[index] = stays and '//' or line.text
  end
  return table.concat(texts, '\n') .. '\n'
end

local function left_by_unifdef(source, settings)
  local options, stage = { '-b', '-x2' }, kernels.stage(source.path)
  for _, toggle in ipairs(toggles_of(stage)) do
    options[#options + 1] = string.format('-D%s=%s', toggle.name,
      settings[toggle.name] or toggle.default)
  end
  local input = input_of(source)
  local question = table.concat(options, ' ') .. '\n'
  return cache.answer('unifdef ' .. question .. pandoc.utils.sha1(input),
    function()
      local ran, said = pcall(pandoc.pipe, 'unifdef', options, input)
      if ran then return said end
      report.line(source.path, nil,
        'unifdef cannot tell its arms apart; what it says stands above')
      return input
    end)
end

-- The numbers of a kernel's lines that an arm has: a set, or nil for another
-- file. settings: NAME = VALUE, where that is not the default. Of blank lines
-- in a row one is kept.
function arms.of(source, settings)
  if not kernels.stage(source.path) then return nil end
  local numbers, after_blank = {}, false
  for index, text in ipairs(files.lines(left_by_unifdef(source, settings))) do
    local line = source.lines[index]
    local is_blank = arms.is_blank(line.text)
    if text ~= '' and not (is_blank and after_blank) then
      numbers[line.number] = true
    end
    if text ~= '' then after_blank = is_blank end
  end
  return numbers
end

-- The same for the arm that is compiled by default.
function arms.default(source)
  local path = source.path
  if defaults[path] == nil then
    defaults[path] = arms.of(source, {}) or false
  end
  return defaults[path] or nil
end

-- The lines of a source that are in an arm.
function arms.lines(source, numbers)
  local list = {}
  for _, line in ipairs(source.lines) do
    if not numbers or numbers[line.number] then list[#list + 1] = line end
  end
  return list
end

-- The numbers of the lines that stand behind code of another arm: a set.
function arms.behind_others(source, numbers)
  local behind, left_out = {}, false
  for _, line in ipairs(numbers and source.lines or {}) do
    if numbers[line.number] then
      behind[line.number] = left_out or nil
      left_out = false
    elseif not (arms.is_blank(line.text) or arms.is_directive(line.text)) then
      left_out = true
    end
  end
  return behind
end

local function toggle_named(stage, name)
  local names = {}
  for _, toggle in ipairs(toggles_of(stage)) do
    if toggle.name == name then return toggle end
    names[#names + 1] = toggle.name
  end
  return nil, table.concat(names, ', ')
end

local function check_value(stage, name, value, where)
  local toggle, names = toggle_named(stage, name)
  if not toggle then
    return report.at(where, '%s has no toggle "%s"; it has: %s', stage, name,
      names)
  end
  for listed in toggle.values:gmatch('%S+') do
    if listed == value then return true end
  end
  return report.at(where, 'the toggle %s of %s has no value "%s"; it has: %s',
    name, stage, value, toggle.values)
end

-- "A=1 B=0" as {A = "1", B = "0"}, or nil once it has reported an error.
function arms.settings(stage, text, where)
  local settings, fine = {}, true
  for word in text:gmatch('%S+') do
    local name, value = word:match('^([%w_]+)=(%w+)$')
    if name then
      fine = check_value(stage, name, value, where) and fine
      settings[name] = value
    else
      report.at(where, '"%s" is not NAME=VALUE', word)
      fine = false
    end
  end
  if fine and next(settings) and not cache.said('tools/toggles/toggles.py',
      { 'allowed', stage, table.unpack(pandoc.List(text:gmatch('%S+'))) },
      { kernels.path(stage) }) then
    report.at(where, 'the kernel of %s rules out %s', stage, text)
    fine = false
  end
  return fine and settings or nil
end

return arms
