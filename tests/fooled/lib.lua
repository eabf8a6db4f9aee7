-- What the experiments share. Each plants a mistake in a copy of the tree and
-- shows what a check of this repository says; it begins with
--   #!tests/lua.sh
--   local fooled = dofile 'tests/fooled/lib.lua'
-- and ends with `fooled.verdict()`. Patterns are Lua's.
local test = dofile 'tests/lib.lua'
-- How many lines are shown, and what was said last; and all that tests have.
local fooled = setmetatable({most = 12, said = ''}, {__index = test})
local surprises = 0
local WIDE, WIDTH = 116, 76
local planter = test.folder .. '/build/tests/plant'
for name in ('MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED'):gmatch '%S+' do
  test.environment[name] = false
end
-- The recorded run that the book cites.
fooled.recorded = test.read('chapters/book.yaml'):match '\nresults: ([^\n]*)'

-- Ends an experiment for which this machine lacks something.
function fooled.needs(command, lack)
  local said, code = test.sh(command)
  if code == 0 then return said end
  io.stderr:write(lack, ": 'make setup' installs it.\n")
  os.exit(3)
end

local function surprise(what)
  print('SURPRISE: ' .. what)
  surprises = surprises + 1
  local lines = test.lines(fooled.said)
  for i = math.max(1, #lines - 14), #lines do print('  | ' .. lines[i]) end
end
fooled.surprise = surprise

-- A file becomes this text, and the difference is shown.
local function planted(path, text)
  local before = test.scratch .. '/before'
  test.write(before, test.read(path))
  test.write(path, text)
  print('planted in ' .. path .. ':')
  for _, line in ipairs(test.lines((test.sh('diff "$@"', before, path)))) do
    local sign, rest = line:match '^([<>]) *(.*)'
    if sign then print('  ' .. (sign == '<' and '- ' or '+ ') .. rest) end
  end
end

-- An edit of a file at a place, as tools/source has them.
function fooled.plant(path, place, edit)
  local said, code = test.sh('"$@"', planter, 'edit', path, place, edit)
  if code ~= 0 then
    print('SURPRISE: ' .. said)
    os.exit(1)
  end
  planted(path, said)
end

-- A number in JSON, of which there must be one.
function fooled.set_number(path, key, number)
  local text, times = test.read(path):gsub('("' .. key .. '": )[%d.]+',
    '%1' .. number)
  assert(times == 1, path .. ' does not have one ' .. key)
  planted(path, text)
end

-- Lines much longer than a page is wide, in pieces.
local function print_fit(text)
  if #text > WIDE then
    local pieces = {}
    for word in text:gmatch '%S+' do
      local line = pieces[#pieces]
      if line and #line + 1 + #word <= WIDTH then
        pieces[#pieces] = line .. ' ' .. word
      else
        table.insert(pieces, (line and '      ' or text:match '^ *') .. word)
      end
    end
    text = table.concat(pieces, '\n')
  end
  print(text)
end

-- Runs a command, shows it as one would type it, and of what it says the first
-- lines that match any pattern. Its exit code, and whether the first matched.
local function answer(command, patterns)
  print_fit('$ ' .. command)
  local code
  local shown, matched = 0, false
  fooled.said, code = test.sh(command)
  for _, line in ipairs(test.lines(fooled.said)) do
    local found = false
    for i, pattern in ipairs(patterns) do
      if line:find(pattern) then found, matched = true, matched or i == 1 end
    end
    if found and shown < fooled.most then
      print_fit(('  ' .. line):match '^(.-) *$')
      shown = shown + 1
    end
  end
  if not matched then
    surprise("nothing said matches '" .. patterns[1] .. "'")
  end
  return code
end

-- The command succeeds, and says what the first pattern says. The lines that
-- match the others are shown too.
function fooled.accepts(command, ...)
  local code = answer(command, {...})
  if code ~= 0 then
    surprise('this should have passed, exit code ' .. code)
  end
end

-- It fails, and says what the first pattern says.
function fooled.refuses(command, ...)
  if answer(command, {...}) == 0 then
    surprise 'this should have been refused'
  end
end

function fooled.verdict()
  if surprises > 0 then os.exit(1) end
  print 'The mistake is refused.'
end

return fooled
