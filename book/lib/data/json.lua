-- JSON by pandoc's reader, and by a walk over the text what that reader does
-- not say: the order of keys, a key that comes twice, and where a mistake is.
local json = { null = pandoc.json.null }
local COMMA = (','):byte()
local order = setmetatable({}, { __mode = 'k' })

local function fail(text, at, what)
  local _, newlines = text:sub(1, at - 1):gsub('\n', '')
  error({ line = newlines + 1, what = what }, 0)
end

-- Each of these gives the place behind what it found, and behind the white
-- space that follows.
local function behind(text, at, pattern, what)
  return text:match('^' .. pattern .. '[ \t\r\n]*()', at)
    or fail(text, at, what)
end

local function behind_string(text, at, what)
  local simple = text:match('^"[^"\\%c]*"[ \t\r\n]*()', at)
  if simple then return simple end
  local from = at
  at = behind(text, at, '"', what)
  repeat
    local stop = text:find('["\\%c]', at)
    if not stop or text:find('^%c', stop) then
      fail(text, from, 'string without an end')
    end
    local last = text:sub(stop, stop) == '"'
    at = last and behind(text, stop, '"') or stop + 2
  until last
  return at
end

-- pandoc reads all numbers as floats.
local function whole(value)
  return math.type(value) == 'float' and math.tointeger(value) or value
end

-- A string without escapes is what stands between its quotes.
local function text_of(quoted)
  return quoted:match('^"([^\\]*)"') or pandoc.json.decode(quoted, false)
end

-- Where brackets first stand this deep; pandoc's reader and the walk below
-- would have no room left.
local DEEPEST = 500
local function too_deep(text)
  local depth = 0
  text = text:gsub('\\.', '  '):gsub('"[^"]*"', function(quoted)
    return (' '):rep(#quoted)
  end)
  for place, sign in text:gmatch('()([%[%]{}])') do
    depth = depth + (sign:find '[%[{]' and 1 or -1)
    if depth > DEEPEST then return place end
  end
end

local behind_value

local function behind_object(text, at, object)
  local keys, seen = {}, {}
  at = behind(text, at, '{')
  while #keys == 0 and not text:find('^}', at) or #keys > 0 do
    local start = at
    at = behind_string(text, at, 'a key is expected')
    local key = text_of(text:sub(start, at - 1))
      or fail(text, start, 'a key that cannot be read')
    if seen[key] then fail(text, start, 'key "' .. key .. '" twice') end
    seen[key], keys[#keys + 1] = true, key
    at = behind(text, at, ':', 'a colon is expected')
    at = behind_value(text, at, object and object[key])
    if object then object[key] = whole(object[key]) end
    if text:byte(at) ~= COMMA then break end
    at = behind(text, at, ',')
  end
  if object then order[object] = keys end
  return behind(text, at, '}', 'a comma or } is expected')
end

local function behind_array(text, at, array)
  local count = 0
  -- Of what pandoc could read, numbers alone need no walk.
  local numbers = array and text:match('^%[[^%[{"]-%][ \t\r\n]*()', at)
  if numbers then
    for index, value in ipairs(array) do array[index] = whole(value) end
    return numbers
  end
  at = behind(text, at, '%[')
  while count == 0 and not text:find('^%]', at) or count > 0 do
    count = count + 1
    at = behind_value(text, at, array and array[count])
    if array then array[count] = whole(array[count]) end
    if text:byte(at) ~= COMMA then break end
    at = behind(text, at, ',')
  end
  return behind(text, at, '%]', 'a comma or ] is expected')
end

-- value: what pandoc read there, or nil where it could not read the text.
function behind_value(text, at, value)
  local first = text:sub(at, at)
  if first == '{' then return behind_object(text, at, value) end
  if first == '[' then return behind_array(text, at, value) end
  if first == '"' then return behind_string(text, at) end
  return behind(text, at, '[-+.%w]+', 'a value is expected')
end

-- The value of a JSON text; or nil, what is wrong, and the line of it.
function json.decode(text)
  local deep = too_deep(text)
  if deep then
    local _, newlines = text:sub(1, deep):gsub('\n', '')
    return nil, 'brackets more than ' .. DEEPEST .. ' deep', newlines + 1
  end
  local value = pandoc.json.decode(text, false)
  local well, mistake = pcall(behind_value, text,
    text:match('^[ \t\r\n]*()'), value)
  if not well then
    if type(mistake) ~= 'table' then error(mistake, 0) end
    return nil, mistake.what, mistake.line
  elseif value == nil then
    return nil, 'pandoc cannot read it', 1
  end
  return whole(value)
end

-- An object's keys in the file's order; nil when the value is not an object.
function json.keys(value) return order[value] end

-- An object with its keys in order, as decode makes them.
function json.with_keys(keys, object)
  order[object] = keys
  return object
end

return json
