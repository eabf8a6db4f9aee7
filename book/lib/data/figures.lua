-- What a figure of a result may be. Its key names its unit, as
-- common/harness/results.h says: what ends in _us, _ns, _mhz, _w or
-- _bytes, or is "us" or "ns", is a number that is not below zero, an array of
-- such, or null; what ends in p50_us is above zero. And what build_meta is made
-- of, on which all readers rely.
local json = require 'data.json'
local figures = {}

local UNITS = { '_us$', '_ns$', '_mhz$', '_w$', '_bytes$', '^us$', '^ns$' }
local META = { stage = 'string', arm = 'string', kernel_hash = 'string',
  commit = 'string', compiler = 'string', date = 'string', profiler = 'string',
  torch = 'string', device = 'table', kernels = 'table' }
local DEVICE = { name = 'string', driver = 'string', is_gpu = 'boolean' }
local KERNEL = { stage = 'string', kernel_hash = 'string',
  compiler = 'string' }
local WORDS = { string = 'a text', table = 'an object',
  boolean = 'true or false', number = 'a number' }

local function shown(value)
  if value == json.null then return 'null' end
  if type(value) == 'number' then return string.format('%.9g', value) end
  if type(value) == 'table' and not json.keys(value) then return 'an array' end
  return WORDS[type(value)]
end

local function is_not(path, value, wanted)
  return string.format('%s is %s, and must be %s', path:sub(2), shown(value),
    wanted)
end

-- Results have the same few keys thousands of times.
local units = {}
local function names_unit(key)
  if units[key] == nil then
    units[key] = false
    for _, unit in ipairs(UNITS) do
      if key:find(unit) then units[key] = true end
    end
  end
  return units[key]
end

local function check_figure(value, key, path)
  local above = key:find('p50_us$')
  if value == json.null then return end
  local fits = type(value) == 'number' and value < math.huge
  if fits and (above and value > 0 or not above and value >= 0) then return end
  return is_not(path, value,
    above and 'a number above 0' or 'a number of 0 or more')
end

-- `key`: of the value, or of the array that holds it
local function check(value, key, path)
  local keys = type(value) == 'table' and json.keys(value)
  if names_unit(key) and (type(value) ~= 'table' or keys) then
    return check_figure(value, key, path)
  end
  if type(value) ~= 'table' then return end
  for _, name in ipairs(keys or {}) do
    local wrong = check(value[name], name, path .. '/' .. name)
    if wrong then return wrong end
  end
  for index = 1, keys and 0 or #value do
    local wrong = check(value[index], key, path .. '/' .. index - 1)
    if wrong then return wrong end
  end
end

local function check_kinds(object, kinds, path)
  for _, key in ipairs(json.keys(object)) do
    local value, wanted = object[key], kinds[key]
    local fits = type(value) == wanted and value ~= json.null and
      (wanted ~= 'table' or json.keys(value))
    if wanted and not fits then
      return is_not(path .. '/' .. key, value, WORDS[wanted])
    end
  end
end

-- What is wrong with a build_meta, with its key, or nil.
function figures.check_meta(meta)
  local path = '/build_meta'
  if type(meta) ~= 'table' or not json.keys(meta) then
    return is_not(path, meta, 'an object')
  end
  local wrong = check_kinds(meta, META, path)
  if wrong then return wrong end
  if meta.device then
    wrong = check_kinds(meta.device, DEVICE, path .. '/device')
    if wrong then return wrong end
  end
  for _, name in ipairs(meta.kernels and json.keys(meta.kernels) or {}) do
    local kernel, place = meta.kernels[name], path .. '/kernels/' .. name
    if type(kernel) ~= 'table' or not json.keys(kernel) then
      return is_not(place, kernel, 'an object')
    end
    wrong = check_kinds(kernel, KERNEL, place)
    if wrong then return wrong end
    for _, key in ipairs { 'stage', 'kernel_hash' } do
      if not kernel[key] then
        return (place .. '/' .. key):sub(2) .. ' is missing'
      end
    end
  end
end

-- Of a decoded result: what is wrong with it, with its key, or nil.
function figures.check(data)
  if type(data) ~= 'table' then return end
  if json.keys(data) and data.build_meta ~= nil then
    local wrong = figures.check_meta(data.build_meta)
    if wrong then return wrong end
  end
  return check(data, '', '')
end

-- The value at a path of keys, or nil and what is wrong there.
function figures.at(data, path, wanted)
  local value = data
  for key in path:gmatch '[^/]+' do
    local is_object = type(value) == 'table' and json.keys(value)
    if is_object then value = value[key] else value = nil end
  end
  if value == nil or value == json.null then
    return nil, 'it has no ' .. path
  elseif type(value) ~= wanted then
    return nil, is_not('/' .. path, value, WORDS[wanted])
  end
  return value
end

return figures
