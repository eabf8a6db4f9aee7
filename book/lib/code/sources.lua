-- The sources that the book shows.
-- Regions of a source file: whole-line markers "//> name" and "//< name", in
-- Makefiles and shell scripts "#> name" and "#< name". Marker lines are never
-- shown; regions may nest.
local code_html = require 'code.code_html'
local files = require 'common.files'
local kernels = require 'data.kernels'
local report = require 'common.report'
local sources = {}
local parsed = {}

local function marker(line)
  local sign, rest = line:match('^%s*//([<>])(.*)$')
  if not sign then sign, rest = line:match('^%s*#([<>])(.*)$') end
  return sign, rest and rest:match('^ (%l[%l%d-]*)%s*$')
end

local function parse(path, text)
  local source = { path = path, lines = {}, regions = {} }
  local stack = pandoc.List {}
  for number, line in ipairs(files.lines(text)) do
    local sign, name = marker(line)
    if sign == '>' and name and not source.regions[name] then
      source.regions[name] = { line = number, lines = {} }
      stack:insert(name)
    elseif sign == '<' and name and name == stack[#stack] then
      stack:remove(#stack)
    elseif sign then
      report.line(path, number, 'this marker is wrong: a region is "//> name" '
        .. 'to "//< name" in lower case, once, and ends before what it is in')
    else
      local entry = { number = number, text = line, inside = {},
        region = stack[#stack] }
      source.lines[#source.lines + 1] = entry
      for _, name in ipairs(stack) do
        table.insert(source.regions[name].lines, entry)
        entry.inside[name] = true
      end
    end
  end
  for _, name in ipairs(stack) do
    report.line(path, source.regions[name].line, 'region "%s" is not closed',
      name)
  end
  return source
end

-- The file with its regions, or nil when there is no such file:
-- {path, regions = {name = {line, lines}}, lines}, a line being
-- {number, text, inside = {region = true}, region}, of which the last is the
-- innermost.
function sources.of(path)
  if parsed[path] == nil then
    local text = files.text(path)
    parsed[path] = text and parse(path, text) or false
  end
  return parsed[path] or nil
end

function sources.is_blank(line) return not line.text:find('%S') end

-- Without blank lines at both ends, and the white space that all lines begin
-- with.
local function trimmed(lines)
  local first, last, common = 1, #lines, nil
  while first <= last and sources.is_blank(lines[first]) do
    first = first + 1
  end
  while last >= first and sources.is_blank(lines[last]) do last = last - 1 end
  for index = first, last do
    local indent = lines[index].text:match('^([ \t]*)%S')
    common = common or indent
    while indent and indent:sub(1, #common) ~= common do
      common = common:sub(1, -2)
    end
  end
  local result = {}
  for index = first, last do
    result[index - first + 1] = { number = lines[index].number,
      text = lines[index].text:sub(#common + 1) }
  end
  return result
end

-- The lines of a region, or without a name of the file, as a reader sees them:
-- those whose number is in a set, where there is one.
function sources.shown(source, name, numbers)
  local lines = {}
  for _, line in ipairs(name and source.regions[name].lines or source.lines) do
    if not numbers or numbers[line.number] then lines[#lines + 1] = line end
  end
  return trimmed(lines)
end

local defaults, repeats = {}, {}

local DIRECTIVES = { ['if'] = true, ifdef = true, ifndef = true, elif = true,
                     ['else'] = true, endif = true }

-- Does a line only choose which lines are compiled?
function sources.is_directive(line)
  return DIRECTIVES[line.text:match('^%s*#%s*(%l+)') or ''] == true
end

-- The numbers of a kernel's lines that an arm has, as in "A=1 B=0": a set, or
-- nil for another file, or where there is no such arm, which stderr says.
function sources.in_arm(source, arm)
  local stage = kernels.stage(source.path)
  local words = pandoc.List { 'lines', stage } .. pandoc.List(arm:gmatch '%S+')
  local said = stage and files.said('diff/diff.py', words, { source.path })
  local numbers = {}
  for number in (said or ''):gmatch '%d+' do
    numbers[tonumber(number)] = true
  end
  return said and numbers
end

-- The same for the arm that is compiled by default.
function sources.default(source)
  local path = source.path
  if defaults[path] == nil then
    defaults[path] = sources.in_arm(source, '') or false
    if kernels.stage(path) and not defaults[path] then
      report.line(path, nil, 'its arms cannot be told apart; why stands above')
    end
  end
  return defaults[path] or nil
end

-- The numbers of the lines that stand behind code of another arm: a set.
function sources.behind_others(source, numbers)
  local behind, left_out = {}, false
  for _, line in ipairs(numbers and source.lines or {}) do
    if numbers[line.number] then
      behind[line.number] = left_out or nil
      left_out = false
    elseif not (sources.is_blank(line) or sources.is_directive(line)) then
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
  for _, step in ipairs(code_html.steps(lists[1], lists[2])) do
    if step[1] == ' ' then
      result[lists[2][step[3]].number] = lists[1][step[2]].number
    end
  end
  return result
end

-- For a kernel that has a stage before it {all, read}, two maps from the number
-- of a line to that of the line there which it repeats: in `all` of any lines;
-- in `read` of the default arms. nil for another file.
function sources.repeats(source)
  local path = source.path
  if repeats[path] == nil then
    local before = kernels.before(path)
    local previous = before and sources.of(before)
    repeats[path] = false
    if previous then
      repeats[path] = { all = matched(previous, nil, source, nil),
        read = matched(previous, sources.default(previous), source,
          sources.default(source)) }
    end
  end
  return repeats[path] or nil
end

return sources
