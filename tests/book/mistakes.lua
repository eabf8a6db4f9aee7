-- Plants mistakes into a copy of the sample book, and holds what the build says
-- against a list:  mistakes.lua LIST BOOK SAMPLE SCRATCH COUNT
-- COUNT tests came before these.
-- One build must name all mistakes of a section, and nothing else, and leave
-- the last good book in place. A list has lines of these kinds; {results} is
-- the folder of results, and a line that ends with a backslash goes on:
--   == NAME                a section: a fresh copy
--   edit FILE SCRIPT       by sed
--   run COMMAND            by sh, in the copy
--   add FILE               at the end, behind a blank line: the lines "| TEXT"
--   ! ERROR                what the build says of the line of text above
--   says PLACE ERROR       what it says of another place; PLACE may be -
--   others                 it may name more mistakes
--   fine                   nothing is wrong
--   lint                   the check of the language stands for the build
local RESULTS = 'results/test-device/2026-01-02'
local list, book, sample, scratch, before = table.unpack(arg)
local tree, out = scratch .. '/tree', scratch .. '/html'
local GOOD = 'the last good book\n'
local count, failed = math.tointeger(tonumber(before)), 0

local function read(path)
  local file = io.open(path)
  local text = file and file:read 'a'
  if file then file:close() end
  return text
end

local function write(path, mode, text)
  local file = assert(io.open(path, mode))
  file:write(text)
  file:close()
end

local function ok(passed, name)
  count = count + 1
  failed = failed + (passed and 0 or 1)
  print(string.format('%s %d - %s', passed and 'ok' or 'not ok', count, name))
end

-- What a command says in both its streams, and its exit code.
local function run(...)
  local words = {}
  for index, word in ipairs { ... } do
    words[index] = "'" .. word:gsub("'", "'\\''") .. "'"
  end
  local pipe = io.popen(table.concat(words, ' ') .. ' 2>&1')
  local said = pipe:read 'a'
  local _, _, code = pipe:close()
  return said, code
end

local commands = {}

local function must(...)
  local said, code = run(...)
  if code ~= 0 then error(said .. table.concat({ ... }, ' ')) end
end

function commands.edit(_, rest)
  local file, script = rest:match('^(%S+) (.*)$')
  must('sed', '-i', script, tree .. '/' .. file)
end

function commands.run(_, rest) must('sh', '-c', 'cd "$0" && ' .. rest, tree) end

function commands.add(section, file)
  local path = tree .. '/' .. file
  local _, lines = read(path):gsub('\n', '')
  write(path, 'a', '\n')
  section.path, section.file, section.line = path, file, lines + 1
end

commands['|'] = function(section, text)
  write(section.path, 'a', text .. '\n')
  section.line = section.line + 1
end

local function expect(section, text) table.insert(section.expected, text) end

commands['!'] = function(section, text)
  expect(section, string.format('%s:%d: %s', section.file, section.line, text))
end

function commands.says(section, rest)
  local place, text = rest:match('^(%S+) (.*)$')
  expect(section, place == '-' and text or place .. ': ' .. text)
end

function commands.others(section) section.others = true end

function commands.fine(section) section.fine = true end

function commands.lint(section) section.lint = true end

local function is_expected(section, line)
  for _, text in ipairs(section.expected) do
    if line:find(text, 1, true) then return true end
  end
end

local function verify(section)
  local name = section.name
  local program = book .. (section.lint and '/lint.sh' or '/build.sh')
  if section.fine then
    local said, code = run(program, tree, scratch .. '/good/html')
    ok(code == 0, name)
    if code ~= 0 then print('# ' .. said:gsub('\n', '\n# ')) end
    return
  end
  local said, code = run(program, tree, out)
  ok(code == 1, name .. ': exit 1')
  for _, text in ipairs(section.expected) do
    ok(said:find(text, 1, true), text)
  end
  local more = 0
  for line in said:gmatch('[^\n]+') do
    if line:find('^%S+: ') and not is_expected(section, line) then
      print('# not expected: ' .. line)
      more = more + 1
    end
  end
  ok(more == 0 or section.others, name .. ': no other error')
  if section.lint then return end
  local found = run('sh', '-c', 'cd "$0" && echo html*', scratch)
  ok(read(out .. '/index.html') == GOOD and found == 'html\n',
    name .. ': the last good book is untouched')
end

must('mkdir', out, scratch .. '/good')
write(out .. '/index.html', 'w', GOOD)
local section
for line in read(list):gsub('\\\n', ' '):gmatch('[^\n]+') do
  local word, rest = line:gsub('{results}', RESULTS):match('^(%S+) ?(.*)$')
  if word == '==' then
    if section then verify(section) end
    section = { name = rest, expected = {} }
    must('rm', '-rf', tree)
    must('cp', '-R', sample, tree)
  elseif word and word ~= '#' then
    commands[word](section, rest)
  end
end
verify(section)
print('1..' .. count)
os.exit(failed == 0 and 0 or 1)
