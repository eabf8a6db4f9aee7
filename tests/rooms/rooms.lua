#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- rooms.lua [AREAS.lua]: is each area in order? A line for each fault:
--   a folder with more than 22 files of its own
--   a source without a header, named like it, that declares what others may use
--   two files that use each other, by a call or an #include line
--   a circle of calls among object files
--   a call or an #include line against the order of rooms
local LIMIT = 22
local faults = 0

local function fault(...)
  print(string.format(...))
  faults = faults + 1
end

local function lines(command)
  local pipe = assert(io.popen(command))
  local all = {}
  for line in pipe:lines() do all[#all + 1] = line end
  assert(pipe:close(), command .. ' failed')
  return all
end

local function read(name)
  local file = io.open(name)
  local text = file and file:read 'a'
  if file then file:close() end
  return text
end

local function sorted_keys(set)
  local keys = {}
  for key in pairs(set) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- A source and its header are one unit: their path without an extension. One
-- of twins for two targets, time/cpu/clocks.c, has its header in time/.
local function unit_of(path)
  local unit = path:gsub('%.[^./]*$', '')
  return unit
end
local function headers_of(unit)
  return {unit .. '.h', (unit:gsub('/[^/]*(/[^/]*)$', '%1')) .. '.h'}
end

local function check_sizes(files)
  local count = {}
  for _, file in ipairs(files) do
    local folder = file:match '(.*)/'
    count[folder] = (count[folder] or 0) + 1
  end
  for _, folder in ipairs(sorted_keys(count)) do
    if count[folder] > LIMIT then
      fault('%s has %d files of its own; %d are a room: make two of it',
        folder, count[folder], LIMIT)
    end
  end
end

-- unit -> other unit -> how: "calls NAME" or "includes FILE"
local function add_includes(uses, area, files)
  local known = {}
  for _, file in ipairs(files) do known[file] = true end
  for _, file in ipairs(files) do
    if file:match '%.[ch]$' then
      local unit, own = unit_of(file), {}
      for _, header in ipairs(headers_of(unit)) do own[header] = true end
      for other in read(file):gmatch '#include "([^"]*)"' do
        if known[other] and unit_of(other) ~= unit and not own[other] then
          uses[unit] = uses[unit] or {}
          uses[unit][unit_of(other)] = 'includes ' .. other
        end
      end
    end
  end
end

-- Lua's modules are named by their path in the area, with dots.
local function add_requires(uses, area, files)
  for _, file in ipairs(files) do
    if file:match '%.lua$' then
      local unit = unit_of(file)
      for name in read(file):gmatch "require%s*%(?'([%w_.]+)'" do
        local other = area.folder .. '/' .. name:gsub('%.', '/')
        uses[unit] = uses[unit] or {}
        uses[unit][other] = 'requires ' .. name
      end
    end
  end
end

-- What each object defines and needs: unit -> set of names.
local function symbols(area, files)
  local defined, needed = {}, {}
  local list = lines('find ' .. area.objects .. " -name '*.o' | sort")
  assert(#list > 0, 'there are no objects in ' .. area.objects)
  for _, object in ipairs(list) do
    local unit = area.folder .. unit_of(object):sub(#area.objects + 1)
    if read(unit .. '.c') then -- an older tree's objects stay behind
      defined[unit], needed[unit] = {}, {}
      for _, line in ipairs(lines('nm -g ' .. object)) do
        local kind, name = line:match '(%a) ([%w_]+)$'
        if kind == 'U' then
          needed[unit][name] = true
        elseif kind then
          defined[unit][name] = true
        end
      end
    end
  end
  for _, file in ipairs(files) do
    if file:match '%.c$' and not file:match '/gpu/' and
        not defined[unit_of(file)] then
      fault('%s has no object in %s: run make need-tests', file, area.objects)
    end
  end
  return defined, needed
end

local function add_calls(uses, defined, needed)
  local calls, owner = {}, {}
  for unit, names in pairs(defined) do
    for name in pairs(names) do owner[name] = unit end
  end
  for unit, names in pairs(needed) do
    calls[unit] = {}
    for name in pairs(names) do
      local other = owner[name]
      if other and other ~= unit then
        calls[unit][other] = true
        uses[unit] = uses[unit] or {}
        uses[unit][other] = 'calls ' .. name
      end
    end
  end
  return calls
end

local function check_headers(area, defined)
  local common = ''
  for header in (area.interfaces or ''):gmatch '%S+' do
    common = common .. assert(read(header), header)
  end
  local function is_elsewhere(name)
    for pattern in (area.elsewhere or ''):gmatch '%S+' do
      if name:match(pattern) then return true end
    end
    return name == 'main'
  end
  for _, unit in ipairs(sorted_keys(defined)) do
    local text = common
    for _, header in ipairs(headers_of(unit)) do
      text = text .. (read(header) or '')
    end
    for _, name in ipairs(sorted_keys(defined[unit])) do
      if not is_elsewhere(name) and not text:find('%f[%w_]' .. name ..
          '%f[^%w_]') then
        fault('%s.c defines %s, which %s.h does not declare', unit, name, unit)
      end
    end
  end
end

local function check_pairs(uses)
  for _, unit in ipairs(sorted_keys(uses)) do
    for _, other in ipairs(sorted_keys(uses[unit])) do
      local back = uses[other] and uses[other][unit]
      if back and unit < other then
        fault('%s and %s use each other: one %s, the other %s', unit, other,
          uses[unit][other], back)
      end
    end
  end
end

-- All that can be reached from each other, after Tarjan.
local function check_circles(calls)
  local index, low, on, stack, next_index = {}, {}, {}, {}, 0
  local function visit(unit)
    next_index = next_index + 1
    index[unit], low[unit] = next_index, next_index
    stack[#stack + 1], on[unit] = unit, true
    for _, other in ipairs(sorted_keys(calls[unit] or {})) do
      if not index[other] then
        visit(other)
        low[unit] = math.min(low[unit], low[other])
      elseif on[other] then
        low[unit] = math.min(low[unit], index[other])
      end
    end
    if low[unit] < index[unit] then return end
    local circle = {}
    repeat
      local last = table.remove(stack)
      on[last] = false
      circle[#circle + 1] = last
    until last == unit
    table.sort(circle)
    if #circle > 1 then
      fault('a circle of calls: %s', table.concat(circle, ', '))
    end
  end
  for _, unit in ipairs(sorted_keys(calls)) do
    if not index[unit] then visit(unit) end
  end
end

local function check_order(area, uses)
  local rank, floors = {}, 0
  for room in area.order:gmatch '%S+' do
    floors = floors + 1
    rank[room] = floors
  end
  local function floor_of(unit)
    local rest = unit:sub(#area.folder + 2)
    local room = rest:match '^([^/]*)/'
    if not room then return read(unit .. '.c') and floors + 1 or 0 end
    return assert(rank[room], room .. ' is no room of ' .. area.folder)
  end
  for _, unit in ipairs(sorted_keys(uses)) do
    for _, other in ipairs(sorted_keys(uses[unit])) do
      if floor_of(other) > floor_of(unit) then
        fault('%s %s, up to %s, against the order %s', unit,
          uses[unit][other], other, area.order)
      end
    end
  end
end

local areas = dofile(arg[1] or 'tests/rooms/areas.lua')
for _, name in ipairs(sorted_keys(areas)) do
  local area = areas[name]
  local files, uses = {}, {}
  local apart = ''
  for folder in (area.apart or ''):gmatch '%S+' do
    apart = apart .. ' ! -path ' .. area.folder .. '/' .. folder .. "'/*'"
  end
  files = lines('find ' .. area.folder .. ' -type f' .. apart .. ' | sort')
  assert(#files > 0, area.folder .. ' is empty')
  check_sizes(files)
  add_includes(uses, area, files)
  add_requires(uses, area, files)
  if area.objects then
    local defined, needed = symbols(area, files)
    local calls = add_calls(uses, defined, needed)
    check_headers(area, defined)
    check_circles(calls)
  end
  check_pairs(uses)
  if area.order then check_order(area, uses) end
end
os.exit(faults == 0)
