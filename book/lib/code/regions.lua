-- Regions of a source file: whole-line markers "//> name" and "//< name", in
-- Makefiles and shell scripts "#> name" and "#< name". Marker lines are never
-- shown; regions may nest.
local files = require 'common.files'
local report = require 'common.report'
local regions = {}
local parsed = {}

local MAX_COLUMNS = 80

local function marker(line)
  local sign, rest = line:match('^%s*//([<>])(.*)$')
  if not sign then sign, rest = line:match('^%s*#([<>])(.*)$') end
  return sign, rest and rest:match('^ (%l[%l%d-]*)%s*$')
end

local function open(source, stack, name, number)
  local first = source.regions[name]
  if first then
    report.line(source.path, number,
      'region "%s" is opened twice, first in line %d', name, first.line)
  else
    source.regions[name] = { line = number, lines = {} }
    source.names[#source.names + 1] = name
  end
  stack:insert(name)
end

local function close(source, stack, name, number)
  local _, at = stack:find(name)
  if not at then
    report.line(source.path, number,
      'region "%s" is closed but was not opened', name)
  elseif at < #stack then
    report.line(source.path, number, 'region "%s" is closed inside region "%s"',
      name, stack[#stack])
  end
  if at then stack:remove(at) end
end

local function parse(path, text)
  local source = { path = path, lines = {}, regions = {}, names = {} }
  local stack = pandoc.List {}
  for number, line in ipairs(files.lines(text)) do
    local sign, name = marker(line)
    if sign and not name then
      report.line(path, number,
        'a region marker is "//> name" in lower case, not "%s"',
        line:match('^%s*(.-)%s*$'))
    elseif sign then
      (sign == '>' and open or close)(source, stack, name, number)
    else
      local entry = { number = number, text = line, inside = {},
        region = stack[#stack] }
      source.lines[#source.lines + 1] = entry
      for _, name in ipairs(stack) do
        if not entry.inside[name] then
          table.insert(source.regions[name].lines, entry)
        end
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
-- {path, names, regions = {name = {line, lines}}, lines}, a line being
-- {number, text, inside = {region = true}, region}, of which the last is the
-- innermost.
function regions.of(path)
  if parsed[path] == nil then
    local text = files.text(path)
    parsed[path] = text and parse(path, text) or false
  end
  return parsed[path] or nil
end

function regions.is_blank(line) return not line.text:find('%S') end

-- Without blank lines at both ends, and the white space that all lines begin
-- with.
local function trimmed(lines)
  local first, last, common = 1, #lines, nil
  while first <= last and regions.is_blank(lines[first]) do
    first = first + 1
  end
  while last >= first and regions.is_blank(lines[last]) do last = last - 1 end
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

local function lines_of(source, name)
  return name and source.regions[name].lines or source.lines
end

-- The lines of a region, or without a name of the file, as a reader sees them:
-- those whose number is in a set, where there is one.
function regions.shown(source, name, numbers)
  local lines = {}
  for _, line in ipairs(lines_of(source, name)) do
    if not numbers or numbers[line.number] then lines[#lines + 1] = line end
  end
  return trimmed(lines)
end

-- Reports the lines of a region or file that are too long for the book.
function regions.check_width(source, name)
  for _, line in ipairs(lines_of(source, name)) do
    local columns = utf8.len(line.text) or #line.text
    if columns > MAX_COLUMNS then
      report.line(source.path, line.number, 'the line has %d columns; %d fit',
        columns, MAX_COLUMNS)
    end
  end
end

return regions
