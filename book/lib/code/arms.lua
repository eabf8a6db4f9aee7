-- The arms of a kernel: which of its lines are compiled where its toggles have
-- some values. unifdef decides. The region "toggles" is in every arm as it is.
-- tools/diff/default-arm.sh, by which `make diff-stageN` compares, does the
-- same. And which lines the stage before has too.
local difference = require 'code.difference'
local files = require 'common.files'
local kernels = require 'data.kernels'
local regions = require 'code.regions'
local report = require 'common.report'
local arms = {}
local toggles, defaults, repeats = {}, {}, {}

local DIRECTIVES = { ['if'] = true, ifdef = true, ifndef = true, elif = true,
                     ['else'] = true, endif = true }

-- Does a line only choose which lines are compiled?
function arms.is_directive(line)
  return DIRECTIVES[line.text:match('^%s*#%s*(%l+)') or ''] == true
end

-- unifdef leaves a blank line where it takes one out: so none else is blank.
local function input_of(source)
  local texts = {}
  for index, line in ipairs(source.lines) do
    local stays = line.inside.toggles or regions.is_blank(line)
    texts[index] = (stays and '//' or line.text) .. '\n'
  end
  return table.concat(texts)
end

local function toggles_of(stage)
  toggles[stage] = toggles[stage] or kernels.toggles { stage }
  return toggles[stage]
end

local function left_by_unifdef(source, settings)
  local options, input = { '-b', '-x2' }, input_of(source)
  for _, toggle in ipairs(toggles_of(kernels.stage(source.path))) do
    options[#options + 1] = string.format('-D%s=%s', toggle.name,
      settings[toggle.name] or toggle.default)
  end
  return files.answer('unifdef ' .. table.concat(options, ' ') .. '\n'
    .. pandoc.utils.sha1(input), function()
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
    local is_blank = regions.is_blank(line)
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

-- The numbers of the lines that stand behind code of another arm: a set.
function arms.behind_others(source, numbers)
  local behind, left_out = {}, false
  for _, line in ipairs(numbers and source.lines or {}) do
    if numbers[line.number] then
      behind[line.number] = left_out or nil
      left_out = false
    elseif not (regions.is_blank(line) or arms.is_directive(line)) then
      left_out = true
    end
  end
  return behind
end

-- The numbers of the new lines that are old ones: new number to old number.
-- Of each source the lines whose numbers are in a set, where there is one.
local function matched(old, only_old, new, only_new)
  local result, lists = {}, { {}, {} }
  for index, source in ipairs { old, new } do
    local only = index == 1 and only_old or index == 2 and only_new
    for _, line in ipairs(source.lines) do
      if not only or only[line.number] then
        table.insert(lists[index], line)
      end
    end
  end
  for _, step in ipairs(difference.of(lists[1], lists[2])) do
    if step[1] == ' ' then
      result[lists[2][step[3]].number] = lists[1][step[2]].number
    end
  end
  return result
end

-- For a kernel that has a stage before it {all, read}, two maps from the number
-- of a line to that of the line there which it repeats: in `all` of any lines;
-- in `read` as a reader compares them, a line of the default arm with lines of
-- the default arm, each other one with any. nil for another file.
function arms.repeats(source)
  local path = source.path
  if repeats[path] == nil then
    local before = kernels.before(path)
    local previous, default = before and regions.of(before), nil
    repeats[path] = false
    if previous then
      default = arms.default(source)
      local all = matched(previous, nil, source, nil)
      local read = matched(previous, arms.default(previous), source, default)
      for number, old in pairs(all) do
        if not default[number] then read[number] = old end
      end
      repeats[path] = { all = all, read = read }
    end
  end
  return repeats[path] or nil
end

-- Is a line blank, or does the stage before have it too?
function arms.is_old(source, line)
  local repeated = arms.repeats(source)
  return regions.is_blank(line) or repeated and repeated.read[line.number]
end

-- The value of a setting "NAME=VALUE" of a stage, with its name.
local function setting(stage, word, where)
  local name, value = word:match('^([%w_]+)=(%w+)$')
  if not name then report.stop(where, '"%s" is not NAME=VALUE', word) end
  local names = {}
  for _, toggle in ipairs(toggles_of(stage)) do
    names[#names + 1] = toggle.name
    if toggle.name == name then
      if pandoc.List(toggle.values:gmatch('%S+')):includes(value) then
        return name, value
      end
      report.stop(where, 'the toggle %s of %s has no value "%s"; it has: %s',
        name, stage, value, toggle.values)
    end
  end
  report.stop(where, '%s has no toggle "%s"; it has: %s', stage, name,
    table.concat(names, ', '))
end

-- "A=1 B=0" as {A = "1", B = "0"}.
function arms.settings(stage, text, where)
  local settings, words = {}, pandoc.List(text:gmatch('%S+'))
  for _, word in ipairs(words) do
    local name, value = setting(stage, word, where)
    settings[name] = value
  end
  if #words > 0 and not files.said('tools/toggles/toggles.py',
      { 'allowed', stage, table.unpack(words) }, { kernels.path(stage) }) then
    report.stop(where, 'the kernel of %s rules out %s', stage, text)
  end
  return settings
end

return arms
