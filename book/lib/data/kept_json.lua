-- JSON that the last build has read and found to be in order: it is kept as a
-- program in Lua, which Lua reads several times as fast.
local cache = require 'common.cache'
local json = require 'data.json'
local kept_json = {}

local function put(parts, text) parts[#parts + 1] = text end

local put_value

local function put_object(parts, value, keys)
  put(parts, 'O({')
  for _, key in ipairs(keys) do put(parts, string.format('%q,', key)) end
  put(parts, '},{')
  for _, key in ipairs(keys) do
    put(parts, string.format('[%q]=', key))
    put_value(parts, value[key])
    put(parts, ',')
  end
  put(parts, '})')
end

function put_value(parts, value)
  if value == json.null then return put(parts, 'N') end
  if type(value) ~= 'table' then
    return put(parts, string.format('%q', value))
  end
  local keys = json.keys(value)
  if keys then return put_object(parts, value, keys) end
  put(parts, '{')
  for _, element in ipairs(value) do
    put_value(parts, element)
    put(parts, ',')
  end
  put(parts, '}')
end

local function program(value)
  local parts = { 'return ' }
  put_value(parts, value)
  return table.concat(parts)
end

-- As json.decode, and then check(value), which says what is wrong with it, if
-- anything. name: what the check is called. Only what is in order is kept.
function kept_json.decode(text, name, check)
  local value, what, line
  local kept = cache.answer(name .. '\n' .. pandoc.utils.sha1(text), function()
    value, what, line = json.decode(text)
    what = what or check(value)
    return not what and program(value) or nil
  end)
  if what then return nil, what, line end
  -- Lua reads no text that nests as deep as JSON may.
  local read = value == nil and load(kept, 'JSON', 't',
    { N = json.null, O = json.with_keys })
  if read then return read() end
  if value == nil then return json.decode(text) end
  return value
end

return kept_json
