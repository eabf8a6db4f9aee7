-- What lies in a class' folder, one folder a student: check.json, and for each
-- lab the student's kernel or C file and grade.json; or the student's folder
-- `mine` with them. Nothing of it is trusted: links, pipes and large files are
-- not read, and of JSON what has the expected type is kept.
local files = dofile 'tools/labs/files.lua'
local format = dofile 'tools/labs/format.lua'
local class = {}

local LARGEST = {['check.json'] = 1 << 16, ['grade.json'] = 1 << 18}
local LARGEST_SOURCE = 1 << 20

-- What is there, as [path under the folder] = its bytes, or "no file"; the
-- students' folders; and whose have a folder `mine`.
local function listing(folder)
  local pipe = assert(io.popen('find ' .. files.quoted(folder .. '/') ..
    ' -mindepth 1 -maxdepth 4 ' ..
    "-printf '%y %s %P\\0' 2>/dev/null"))
  local found, folders, whole = {}, {}, {}
  for kind, bytes, path in pipe:read 'a':gmatch '(%a) (%d+) (%Z+)%z' do
    found[path] = kind == 'f' and tonumber(bytes) or 'no file'
    if kind == 'd' and not path:find '/' then folders[#folders + 1] = path end
    local name = kind == 'd' and path:match '^([^/]+)/mine$'
    if name then whole[name] = true end
  end
  pipe:close()
  table.sort(folders)
  return found, folders, whole
end

-- The text of a file, or nil and why not.
local function text_of(folder, found, path)
  local bytes, limit = found[path],
    LARGEST[path:match '[^/]*$'] or LARGEST_SOURCE
  if not bytes then return nil end
  if bytes == 'no file' then return nil, 'is no regular file' end
  if bytes > limit then
    return nil, string.format('has more than %d KiB', limit // 1024)
  end
  return files.read(folder .. '/' .. path)
end

local function json_of(text)
  local fine, value = pcall(pandoc.json.decode, text, false)
  return fine and type(value) == 'table' and value or nil
end

local function string_of(value)
  return type(value) == 'string' and value:sub(1, 200) or ''
end

local function words_of(value)
  local words = {}
  for i, word in ipairs(type(value) == 'table' and value or {}) do
    if i <= 20 and type(word) == 'string' then
      words[#words + 1] = word:sub(1, 40)
    end
  end
  return words
end

local function number_of(value)
  return type(value) == 'number' and value >= 0 and value < 1e6 and value or nil
end

-- A student's machine: {ready, can, missing, seconds, type, why}
local function machine_of(text, fault)
  if not text then
    return {ready = false, can = {}, missing = {}, type = 'make workshop-check',
      why = fault and 'check.json ' .. fault or 'there is no check.json'}
  end
  local line = json_of(text)
  if not line or line.workshop_check ~= 1 then
    return {ready = false, can = {}, missing = {}, type = 'make workshop-check',
      why = 'check.json is no whole line of workshop-check'}
  end
  return {ready = line.ready == true, can = words_of(line.can),
    missing = words_of(line.missing), seconds = number_of(line.seconds),
    gpu = string_of(line.gpu), type = string_of(line.type),
    why = string_of(line.why)}
end

-- What the student's own grade says: true, false, or nil where it says nothing.
local function claim_of(text)
  local grade = text and json_of(text)
  if grade and type(grade.passed) == 'boolean' then return grade.passed end
end

-- All students, by name: {name, machine, labs = {{name, kernel, fault, claim}}}
function class.read(folder)
  local found, folders, whole = listing(folder)
  local students = {}
  for _, name in ipairs(folders) do
    local own = name .. (whole[name] and '/mine/' or '/')
    local line = found[own .. 'check.json'] and own or name .. '/'
    local student = {name = name, labs = {},
      machine = machine_of(text_of(folder, found, line .. 'check.json'))}
    for path in pairs(found) do
      local lab, mine
      if path:sub(1, #own) == own then
        lab, mine = path:sub(#own + 1):match '^(lab%w+)/([%w_-]+%.cu?)$'
      end
      if lab and format.path(lab) and format.read(lab).mine == mine then
        local kernel, fault = text_of(folder, found, path)
        table.insert(student.labs, {name = lab, kernel = kernel,
          fault = fault and mine .. ' ' .. fault or nil, claim = claim_of(
          text_of(folder, found, own .. lab .. '/grade.json'))})
      end
    end
    table.sort(student.labs, function(a, b) return a.name < b.name end)
    students[#students + 1] = student
  end
  return students
end

return class
