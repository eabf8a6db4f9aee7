#!tests/lua.sh
-- The pins themselves: whole, and each program that they bring is used.
local test = dofile 'tests/lib.lua'
local wheels, hashes, faults, programs = 0, 0, {}, {}
local kinds = {'^command:.', '^header:.', '^file:/', '^clang:%-', '^pip$'}

local whole = {}
function whole.apt(words)
  local program = words[6]:match '^command:(.*)'
  if program then table.insert(programs, program) end
  for _, kind in ipairs(kinds) do
    if words[6]:find(kind) then return #words >= 7 end
  end
end
local of_wheel
function whole.wheel(words)
  wheels, of_wheel = wheels + 1, true
  return #words == 5 and hashes == 2 * (wheels - 1)
end
function whole.sha256(words)
  hashes = hashes + (of_wheel and 1 or 0)
  return #words == 3 and words[3]:find('^%x+$') and #words[3] == 64
end
function whole.deb(words)
  return words[2] == 'aarch64' and words[4]:find '^[%d.]+$' and #words >= 5
end
function whole.pip(words)
  of_wheel = false
  return #words >= 5
end
function whole.oldest(words) return #words == 3 end

for _, line in ipairs(test.lines(test.read 'tools/setup/pins.conf')) do
  local words = {}
  for word in line:gmatch '%S+' do table.insert(words, word) end
  local check = whole[words[1]]
  if not line:find '^#' and not (check and check(words)) then
    table.insert(faults, line)
  end
end
test.ok(#faults == 0 and wheels > 0 and hashes == 2 * wheels,
  'each pin has all its fields, each wheel both hashes',
  table.concat(faults, '\n'))

local idle = test.must([[for program; do
  grep -rqwF --exclude-dir=setup --exclude=setup.sh --exclude=pins.conf \
    -- "$program" tools tests book || echo "$program"
done]], table.unpack(programs))
test.ok(#programs > 0 and idle == '', 'each program that is installed is used',
  idle)
test.finish()
