-- A strict JSON reader (pandoc 2.17 has none). Objects remember their order.
local json = { null = {} }
local order = setmetatable({}, { __mode = 'k' })

local escapes = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t',
                  ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }
local words = { ['true'] = true, ['false'] = false, null = json.null }

local function fail(text, at, what)
  local _, newlines = text:sub(1, at - 1):gsub('\n', '')
  error({ line = newlines + 1, what = what }, 0)
end

local function skip_space(text, at)
  return text:find('[^ \t\r\n]', at) or #text + 1
end

local function unicode_escape(text, at)
  local code = tonumber(text:match('^%x%x%x%x', at), 16)
  if not code then fail(text, at, 'bad \\u escape') end
  local low = code >= 0xd800 and code < 0xdc00 and
    text:match('^\\u(%x%x%x%x)', at + 4)
  if low then
    code = 0x10000 + (code - 0xd800) * 0x400 + tonumber(low, 16) - 0xdc00
    return utf8.char(code), at + 10
  end
  return utf8.char(code), at + 4
end

local function read_string(text, at)
  local simple, behind = text:match('^"([^"\\%c]*)"()', at)
  if simple then return simple, behind end
  local parts, from = {}, at + 1
  while true do
    local stop = text:find('["\\%c]', from)
    if not stop then fail(text, at, 'string without an end') end
    parts[#parts + 1] = text:sub(from, stop - 1)
    local char = text:sub(stop, stop)
    if char == '"' then return table.concat(parts), stop + 1 end
    if char ~= '\\' then fail(text, stop, 'control character in a string') end
    local escape = text:sub(stop + 1, stop + 1)
    if escape == 'u' then
      parts[#parts + 1], from = unicode_escape(text, stop + 2)
    else
      if not escapes[escape] then fail(text, stop, 'unknown escape') end
      parts[#parts + 1], from = escapes[escape], stop + 2
    end
  end
end

local read_value

local function read_object(text, at)
  local object, keys = {}, {}
  order[object] = keys
  at = skip_space(text, at + 1)
  if text:sub(at, at) == '}' then return object, at + 1 end
  while true do
    if text:sub(at, at) ~= '"' then fail(text, at, 'a key is expected') end
    local key
    key, at = read_string(text, at)
    if object[key] ~= nil then fail(text, at, 'key "' .. key .. '" twice') end
    at = skip_space(text, at)
    if text:sub(at, at) ~= ':' then fail(text, at, 'a colon is expected') end
    object[key], at = read_value(text, at + 1)
    keys[#keys + 1] = key
    at = skip_space(text, at)
    local char = text:sub(at, at)
    if char == '}' then return object, at + 1 end
    if char ~= ',' then fail(text, at, 'a comma or } is expected') end
    at = skip_space(text, at + 1)
  end
end

local function read_array(text, at)
  local array = {}
  at = skip_space(text, at + 1)
  if text:sub(at, at) == ']' then return array, at + 1 end
  while true do
    array[#array + 1], at = read_value(text, at)
    at = skip_space(text, at)
    local char = text:sub(at, at)
    if char == ']' then return array, at + 1 end
    if char ~= ',' then fail(text, at, 'a comma or ] is expected') end
    at = at + 1
  end
end

function read_value(text, at)
  at = skip_space(text, at)
  local char = text:sub(at, at)
  if char == '{' then return read_object(text, at) end
  if char == '[' then return read_array(text, at) end
  if char == '"' then return read_string(text, at) end
  local word = text:match('^%l+', at)
  if word and words[word] ~= nil then return words[word], at + #word end
  local number = text:match('^-?%d+%.?%d*[eE]?[+-]?%d*', at)
  local value = number and tonumber(number)
  if not value then fail(text, at, 'a value is expected') end
  return value, at + #number
end

-- The value of a JSON text; or nil, what is wrong, and the line of it.
function json.decode(text)
  local read, value, at = pcall(read_value, text, 1)
  if read and skip_space(text, at) <= #text then
    read, value = pcall(fail, text, at, 'text after the value')
  end
  if read then return value end
  if type(value) ~= 'table' then error(value, 0) end
  return nil, value.what, value.line
end

-- An object's keys in file order; nil when the value is not an object.
function json.keys(value) return order[value] end

return json
