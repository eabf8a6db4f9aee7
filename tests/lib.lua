-- For tests in Lua: TAP, commands, files. A test is executable and begins with
--   #!tests/lua.sh
--   -- What it tests.
--   -- takes: 30 s                  where that is more than 3
--   local test = dofile 'tests/lib.lua'
-- and ends with  test.finish().
local test = {}
local count, failed = 0, 0

-- An empty folder; whatever is in it goes when the test ends.
test.scratch = assert(os.getenv 'SCRATCH')
-- Where commands run and relative paths begin.
test.folder = pandoc.system.get_working_directory()
-- Set for each command: NAME = 'value', or false for none.
test.environment = {CCACHE_DIR = os.getenv 'CCACHE_DIR' or
  test.folder .. '/build/ccache'}

local function quoted(word)
  return "'" .. tostring(word):gsub("'", "'\\''") .. "'"
end

local function absolute(path)
  return path:sub(1, 1) == '/' and path or test.folder .. '/' .. path
end

-- The whole file, or nil where there is none.
function test.read(path)
  local file = io.open(absolute(path), 'rb')
  local text = file and file:read 'a'
  if file then file:close() end
  return text
end

local function put(path, mode, text)
  local file = assert(io.open(absolute(path), mode))
  assert(file:write(text))
  assert(file:close())
end

function test.write(path, text) put(path, 'wb', text) end

function test.append(path, text) put(path, 'ab', text) end

-- An executable shell script.
function test.script(path, body)
  test.write(path, '#!/bin/sh\n' .. body)
  assert(os.execute('chmod +x ' .. quoted(absolute(path))))
end

-- Replaces a plain text, which must be there, each time that it is.
function test.edit(path, old, new)
  local pattern = old:gsub('%p', '%%%0')
  local text, times = test.read(path):gsub(pattern, (new:gsub('%%', '%%%%')))
  if times == 0 then error(path .. ' has no ' .. old) end
  test.write(path, text)
end

-- Whether a text has a plain text, or all of a list and not its `without`.
function test.has(text, wanted)
  if type(wanted) == 'string' then wanted = {wanted} end
  for _, part in ipairs(wanted) do
    if not text:find(part, 1, true) then return false end
  end
  return not (wanted.without and text:find(wanted.without, 1, true))
end

-- The value of a JSON file, or nil.
function test.json(path)
  local text = test.read(path)
  local fine, value = pcall(pandoc.json.decode, text or '', false)
  return fine and value or nil
end

-- Runs a script of the shell with arguments: what it says in both its streams,
-- and its exit code.
function test.sh(script, ...)
  local words = {'cd', quoted(test.folder), '&& exec env'}
  for name, value in pairs(test.environment) do
    if not value then table.insert(words, '-u ' .. name) end
  end
  for name, value in pairs(test.environment) do
    if value then table.insert(words, name .. '=' .. quoted(value)) end
  end
  table.insert(words, 'sh -c ' .. quoted(script) .. ' sh')
  for _, word in ipairs {...} do table.insert(words, quoted(word)) end
  local pipe = io.popen('{ ' .. table.concat(words, ' ') ..
    '; } 2>&1 </dev/null')
  local said = pipe:read 'a'
  local _, how, code = pipe:close()
  return said, how == 'signal' and 128 + code or code
end

-- As `sh`, where anything but success ends the test.
function test.must(script, ...)
  local said, code = test.sh(script, ...)
  if code ~= 0 then error(script .. '\n' .. said) end
  return said
end

-- The lines of a text, without their ends.
function test.lines(text)
  local lines = {}
  for line in text:gmatch '[^\n]+' do table.insert(lines, line) end
  return lines
end

local function last_lines(text)
  local lines = test.lines(tostring(text))
  for i = math.max(1, #lines - 14), #lines do print('#   ' .. lines[i]) end
end

-- One assertion; the detail is shown where it fails.
function test.ok(passed, name, detail)
  count = count + 1
  print(string.format('%s %d - %s', passed and 'ok' or 'not ok', count, name))
  if passed then return end
  failed = failed + 1
  if detail then last_lines(detail) end
end

function test.skip(name, why)
  count = count + 1
  print(string.format('ok %d - %s # SKIP %s', count, name, why))
end

-- The script ends with this code and says this text: see `has`. What it says.
function test.ends(name, code, text, script, ...)
  local said, got = test.sh(script, ...)
  test.ok(got == code and test.has(said, text), name,
    said .. '\nexit code ' .. got)
  return said
end

-- Goes to a copy of the tree, with the environment of a reader's shell: the
-- make that runs this test holds the lock of this tree. `kind` is "tree", with
-- what was built of default arms, or "sources".
function test.enter_copy(kind)
  local copy = test.scratch .. '/tree'
  test.must('. tests/lib.sh; copy_' .. (kind or 'tree') .. ' "$1"', copy)
  test.folder = copy
  for name in ([[MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED SHAPES
      ITERS JSON]]):gmatch '%S+' do
    test.environment[name] = false
  end
end

-- In a copy: the other stages are gone.
function test.only_stage(stage)
  test.must('. tests/lib.sh; only_stage "$1"', stage)
end

function test.finish()
  print('1..' .. count)
  os.exit(failed == 0 and 0 or 1)
end

return test
