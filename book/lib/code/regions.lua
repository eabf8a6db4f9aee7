-- Regions of a source file: whole-line markers "//> name" and "//< name", in
-- Makefiles and shell scripts "#> name" and "#< name". Marker lines are never
-- shown; regions may nest.
local files = require 'common.files'
local report = require 'common.report'
local regions = { parsed = {} }

local MAX_COLUMNS = 80

local function marker(line)
  local sign, rest = line:match('^%s*//([<>])(.*)$')
  if not sign then sign, rest = line:match('^%s*#([<>])(.*)$') end
  return sign, rest and rest:match('^ (%l[%l%d-]*)%s*$')
end

local function close(path, source, stack, name, number)
  local top = table.remove(stack)
  if not top then
    report.line(path, number, 'region "%s" is closed but was not opened', name)
  elseif top ~= name then
    report.line(path, number, 'region "%s" is closed inside region "%s"', name,
      top)
    for depth = #stack, 1, -1 do
      if stack[depth] == name then
        table.remove(stack, depth)
        stack[#stack + 1] = top
        return
      end
    end
    stack[#stack + 1] = top
  end
end

local function parse(path, text)
  local source = { path = path, lines = {}, regions = {}, names = {} }
  local stack = {}
  for number, line in ipairs(files.lines(text)) do
    local sign, name = marker(line)
    if sign and not name then
      report.line(path, number,
        'a region marker is "//> name" in lower case, not "%s"',
        line:match('^%s*(.-)%s*$'))
    elseif sign == '>' then
      if source.regions[name] then
        report.line(path, number,
          'region "%s" is opened twice, first in line %d', name,
          source.regions[name].line)
      else
        source.regions[name] = { line = number, lines = {} }
        source.names[#source.names + 1] = name
      end
      stack[#stack + 1] = name
    elseif sign == '<' then
      close(path, source, stack, name, number)
    else
      local entry = { number = number, text = line, inside = {},
        region = stack[#stack] }
      source.lines[#source.lines + 1] = entry
      for _, open in ipairs(stack) do
        local list = source.regions[open].lines
        if list[#list] ~= entry then list[#list + 1] = entry end
        entry.inside[open] = true
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
  if regions.parsed[path] == nil then
    local text = files.text(path)
    regions.parsed[path] = text and parse(path, text) or false
  end
  return regions.parsed[path] or nil
end

local function trimmed(lines)
  local first, last = 1, #lines
  local function blank(index) return not lines[index].text:find('%S') end
  while first <= last and blank(first) do first = first + 1 end
  while last >= first and blank(last) do last = last - 1 end
  return table.move(lines, first, last, 1, {})
end

-- Removes the white space that all lines begin with.
local function unindented(lines)
  local common
  for _, line in ipairs(lines) do
    if line.text:find('%S') then
      local indent = line.text:match('^[ \t]*')
      common = common or indent
      while indent:sub(1, #common) ~= common do common = common:sub(1, -2) end
    end
  end
  local result = {}
  for index, line in ipairs(lines) do
    result[index] = { number = line.number,
                      text = line.text:sub(#(common or '') + 1) }
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
  return unindented(trimmed(lines))
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
