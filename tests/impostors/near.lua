#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- near.lua RECORDED.json NOW.json: are the errors of the known-wrong kernels
-- still what was recorded? Their references call the C library's expf, whose
-- last bit differs from one to the next: a percent of the figure, or of the
-- limit, passes.
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'
local SHARE = 0.01

local function fail(code, ...)
  print(string.format(...))
  os.exit(code)
end

local function read(path)
  local file, reason = io.open(path)
  if not file then fail(3, '%s', reason) end
  local data, what, line = json.decode(file:read 'a')
  file:close()
  if not data then fail(1, '%s:%d: %s', path, line, what) end
  return data
end

local function near(a, b)
  if type(a) ~= 'number' or type(b) ~= 'number' then return a == b end
  return math.abs(a - b) <= SHARE * math.max(1, math.abs(a))
end

local function shown(value)
  return value == json.null and 'not finite' or tostring(value)
end

if #arg ~= 2 then fail(2, 'usage: near.lua RECORDED.json NOW.json') end
local old, new = read(arg[1]), read(arg[2])
local different = old.seed ~= new.seed or old.shape ~= new.shape
  or #old.impostors ~= #new.impostors
if different then print 'another seed, shape or number of impostors' end
for index, was in ipairs(old.impostors) do
  local is = new.impostors[index] or { errors = {} }
  if was.impostor ~= is.impostor then
    fail(1, '%s is now %s', was.impostor, tostring(is.impostor))
  end
  local keys = json.keys(was.errors)
  if table.concat(keys, ' ') ~= table.concat(json.keys(is.errors), ' ') then
    fail(1, '%s: other gates judge it', was.impostor)
  end
  for _, key in ipairs(keys) do
    if not near(was.errors[key], is.errors[key]) then
      different = true
      print(string.format('%s, %s: %s, recorded %s', was.impostor, key,
        shown(is.errors[key]), shown(was.errors[key])))
    end
  end
end
os.exit(not different)
