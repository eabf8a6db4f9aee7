-- Reads a lab: labs/README.md says how one is written.
local files = dofile 'tools/labs/files.lua'
local refuse = files.stop
local format = {}

-- What a lab may say, and whether it must. Those with `many` may be repeated.
local FIELDS = {
  title = {must = true}, stage = {must = true}, minutes = {must = true},
  trains = {must = true}, fails = {must = true}, empties = {must = true},
  inputs = {must = true},
  count = {must = true}, keeps = {}, chapter = {}, time = {}, file = {},
  demand = {many = true}, toggle = {many = true},
  task = {must = true, text = true}, hint = {many = true, text = true},
  stub = {many = true, text = true, named = true},
}

-- The file of a lab, wherever under labs/ it lies.
function format.path(name)
  local pipe = io.popen('ls labs/*/' .. name .. '.lab 2>/dev/null')
  local path = pipe:read 'l'
  pipe:close()
  return path
end

-- "key: value", or "key:" before lines that are indented by two blanks.
local function fields_of(path, text)
  local list, number = {}, 0
  for line in (text .. '\n'):gmatch '(.-)\n' do
    number = number + 1
    local key, rest = line:match '^(%l+)(.*)$'
    local last = list[#list]
    if key then
      local name, value = rest:match '^ ?([%l%d-]*):%s*(.-)%s*$'
      local known = FIELDS[key]
      if not name or not known or (name ~= '') ~= (known.named or false) then
        refuse('%s:%d: a lab has no such line: %s', path, number, line)
      end
      list[#list + 1] = {key = key, name = name, value = value, lines = {},
        number = number}
    elseif line:find '^  ' or line == '' and last then
      if last and FIELDS[last.key].text then
        table.insert(last.lines, line:sub(3))
      elseif line ~= '' then
        refuse('%s:%d: nothing that takes text is open here.', path, number)
      end
    elseif not line:find '^#' and line ~= '' then
      refuse('%s:%d: a lab has no such line: %s', path, number, line)
    end
  end
  return list
end

local function words(text)
  local list = {}
  for word in (text or ''):gmatch '%S+' do list[#list + 1] = word end
  return list
end

-- "tensor_instructions >= 0.99": of the book's count of the same shape
local function demand_of(path, field)
  local counter, sign, factor = field.value:match
    '^([%l_]+) ([<>]=) ([%d.]+)$'
  if not counter then
    refuse('%s:%d: a demand is COUNTER <= FACTOR or COUNTER >= FACTOR.', path,
      field.number)
  end
  return {counter = counter, sign = sign, factor = tonumber(factor)}
end

function format.parse(path, text)
  local lab = {path = path, name = path:match '([^/]+)%.lab$', demands = {},
    toggles = {}, hints = {}, stubs = {}}
  for _, field in ipairs(fields_of(path, text)) do
    local value = field.value
    if FIELDS[field.key].text then
      value = table.concat(field.lines, '\n'):gsub('%s+$', '') .. '\n'
    end
    if field.key == 'demand' then
      table.insert(lab.demands, demand_of(path, field))
    elseif field.key == 'toggle' then
      table.insert(lab.toggles, value)
    elseif field.key == 'hint' then
      table.insert(lab.hints, value)
    elseif field.key == 'stub' then
      lab.stubs[field.name] = value
    elseif lab[field.key] then
      refuse('%s:%d: a second %s.', path, field.number, field.key)
    else
      lab[field.key] = value
    end
  end
  for key, field in pairs(FIELDS) do
    if field.must and not lab[key] then
      refuse('%s has no line %s.', path, key)
    end
  end
  for _, key in ipairs {'empties', 'inputs', 'keeps'} do
    lab[key] = words(lab[key])
  end
  -- In the stage's folder, and in the reader's
  lab.file = lab.file or 'kernel.cu'
  lab.mine = lab.file:match '[%w_-]+%.cu?$' or
    refuse('%s: file is a C file or a kernel of the stage.', path)
  lab.minutes = tonumber(lab.minutes) or
    refuse('%s: minutes are a number.', path)
  if #lab.hints ~= 3 then refuse('%s: a lab has three hints.', path) end
  for _, region in ipairs(lab.empties) do
    if not lab.stubs[region] then
      refuse('%s: region %s has no stub.', path, region)
    end
  end
  return lab
end

function format.read(name)
  local path = format.path(name)
  if not path then refuse('There is no lab %s.', name) end
  return format.parse(path, files.read(path))
end

return format
