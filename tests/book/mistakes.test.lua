#!tests/lua.sh
-- Plants mistakes into a copy of the sample book, and holds what the build says
-- against a list.
-- for each tests/book/mistakes/*.list
-- takes: 20 s
--
-- One build must name all mistakes of a section, with file and line, and
-- nothing else, and leave the last good book in place. A list has lines of
-- these kinds; {results} is the folder of results, and a line that ends with a
-- backslash goes on:
--   == NAME                a section: a fresh copy
--   edit FILE SCRIPT       by sed
--   run COMMAND            by sh, in the copy
--   add FILE               at the end, behind a blank line: the lines "| TEXT"
--   ! ERROR                what the build says of the line of text above
--   says PLACE ERROR       what it says of another place; PLACE may be -
--   others                 it may name more mistakes
--   fine                   nothing is wrong
--   lint                   the check of the language stands for the build
local test = dofile 'tests/book/book.lua'
local RESULTS = 'results/test-device/2026-01-02'
local GOOD = 'the last good book\n'
local tree = test.scratch .. '/tree'
local list = test.read(arg[1]):gsub('\\\n', ' '):gsub('{results}', RESULTS)
if list:find '\nlint\n' then test.needs 'aspell' end
test.environment.BOOK_FORMATS = 'html'
local commands = {}

function commands.edit(_, rest)
  local file, script = rest:match '^(%S+) (.*)$'
  test.must('sed -i "$1" "$2"', script, tree .. '/' .. file)
end

function commands.run(_, rest) test.must('cd "$1" && ' .. rest, tree) end

function commands.add(section, file)
  local path = tree .. '/' .. file
  local _, lines = test.read(path):gsub('\n', '')
  test.append(path, '\n')
  section.path, section.file, section.line = path, file, lines + 1
end

commands['|'] = function(section, text)
  test.append(section.path, text .. '\n')
  section.line = section.line + 1
end

local function expect(section, text) table.insert(section.expected, text) end

commands['!'] = function(section, text)
  expect(section, string.format('%s:%d: %s', section.file, section.line, text))
end

function commands.says(section, rest)
  local place, text = rest:match '^(%S+) (.*)$'
  expect(section, place == '-' and text or place .. ': ' .. text)
end

for _, word in ipairs {'others', 'fine', 'lint'} do
  commands[word] = function(section) section[word] = true end
end

local function is_expected(section, line)
  for _, text in ipairs(section.expected) do
    if line:find(text, 1, true) then return true end
  end
end

local function verify(section)
  local name = section.name
  local program = section.lint and 'book/lint.sh' or 'book/build.sh'
  if section.fine then
    return test.holds(name, '"$@"', program, tree, test.scratch .. '/good/html')
  end
  local said = test.ends(name .. ': exit 1', 1, '', '"$@"', program, tree,
    test.html)
  for _, text in ipairs(section.expected) do
    test.ok(said:find(text, 1, true), text, said)
  end
  local more = {}
  for _, line in ipairs(test.lines(said)) do
    if line:find '^%S+: ' and not is_expected(section, line) then
      table.insert(more, line)
    end
  end
  test.ok(#more == 0 or section.others, name .. ': no other error',
    table.concat(more, '\n'))
  if section.lint then return end
  local found = test.sh('cd "$1" && echo html*', test.scratch)
  test.ok(test.read(test.html .. '/index.html') == GOOD and found == 'html\n',
    name .. ': the last good book is untouched')
end

test.must('mkdir "$1" "$2/good"', test.html, test.scratch)
test.write(test.html .. '/index.html', GOOD)
local section
for _, line in ipairs(test.lines(list)) do
  local word, rest = line:match '^(%S+) ?(.*)$'
  if word == '==' then
    if section then verify(section) end
    section = {name = rest, expected = {}}
    test.must('rm -rf "$1"; cp -R "$2" "$1"', tree, test.sample)
  elseif word and word ~= '#' then
    commands[word](section, rest)
  end
end
verify(section)
test.finish()
