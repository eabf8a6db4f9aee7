#!tests/lua.sh
-- Which hunt is drawn does not depend on the machine; its kernel does not
-- betray the mistake; and which sentences name one.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
local draw = dofile 'tools/bughunt/draw.lua'
local generator = dofile 'tools/labs/random.lua'
local sentence = dofile 'tools/bughunt/sentence.lua'

-- By hand: 7 * 1103515245 + 12345 = 7724619060, less 3 * 2^31 = 1282168116,
-- whose 2^16 are 19564; from there in the same way 9806.
local drawn = generator(7)
test.ok(drawn(100000) == 19564 and drawn(100) == 9806 % 100,
  'the generator draws what arithmetic says')

local function hunt(seed, stage, level)
  return draw.hunt(draw.asked(tostring(seed), stage, tostring(level)))
end
local function comments_of(text)
  local list = {}
  for line in text:gmatch '[^\n]+' do
    local comment = line:match '//.*'
    if comment then list[#list + 1] = comment end
  end
  return list
end

for _, case in ipairs {{1, '0', 1}, {2, '3', 1}, {3, '6', 2}, {4, '7', 3},
    {5, '2', 1}, {6, '17', 1}} do
  local one, again = hunt(table.unpack(case)), hunt(table.unpack(case))
  local name = string.format('seed %d, stage %s, level %d', case[1], case[2],
    case[3])
  test.ok(one.text == again.text and one.text ~= one.book,
    name .. ': the same mistake again')
  local in_book = {}
  for _, comment in ipairs(comments_of(one.book)) do in_book[comment] = true end
  local new = ''
  for _, comment in ipairs(comments_of(one.text)) do
    if not in_book[comment] then new = comment end
  end
  test.ok(new == '' and not one.text:find '\n%s*;' and
    not one.text:find('\n\n\n', 1, true), '  no mark, no hole', new)
  local _, lines = one.text:gsub('\n', '')
  local _, of_book = one.book:gsub('\n', '')
  test.ok(math.abs(lines - of_book) <= 4, '  lines are where they were',
    lines - of_book)
end
local others = {}
for seed = 1, 4 do others[hunt(seed, '0', 1).text] = true end
test.ok(next(others, next(others)), 'another seed, another mistake')

local mistake = {region = 'load-kv', line = 120,
  kind = dofile('tools/bughunt/kinds.lua').by_name.barrier}
for _, case in ipairs {
  {true, 'In load-kv, line 121, the threads go on too early.'},
  {true, 'In load-kv the threads do not meet at a barrier\nbefore they read.'},
  {true, 'In load-kv (lines 112 to 120) somebody goes on too early.'},
  {true, 'In load-kv a __syncthreads() has gone behind the copy!'},
  {false, '', 'nothing is written'},
  {false, 'Broken.', 'one sentence of'},
  {false, 'It was the barrier in load-kv that was not there.',
    'does not begin'},
  {false, 'In scores the threads do not meet at a barrier.', 'does not name'},
  {false, 'In load-kv the threads read what is not yet there.',
    'neither a line'},
  {false, 'In load-kv, line 130, the threads go on too early.',
    'does not name'},
  {false, 'In load-kv, lines 1 to 400, the threads go on.', 'more than 10'},
  {false, 'In load-kv, lines 120 to 110, the threads go on.', 'more than 10'},
  {false, 'In load-kv a barrier, wait, fence, commit or sum is off.',
    'kinds of mistakes'},
  {false, 'In load-kv the sum is not what it was before.', 'does not name'},
  {false, 'In load-kv a barrier is off. In scores as well.', 'one sentence of'},
  {false, 'In load-kv scores state sizes a barrier is missing', 'one sentence'},
  {false, 'In load-kv a barrier ' .. ('very '):rep(80) .. 'far.',
    'one sentence of'},
} do
  local named, why = sentence.judge(case[2], mistake)
  test.ok(named == case[1] and test.has(why, case[3] or 'it names'),
    (named and 'names it: ' or 'does not: ') .. case[2]:sub(1, 50), why)
end
test.ok(not sentence.judge(nil, mistake), 'no file at all')
test.finish()
