-- The mistakes of planted.list, planted in a copy of the tree, one at a time:
--   dofile 'tests/ring/planted.lua'(test, which)
-- `which` tells of a number whether that one is tried.
local CASES = 'RANKS=3 TARGET=cpu SHAPES="1,2:1,97,64,causal 1,1,50,128"'

local function unfold(text) return (text:gsub('\\n', '\n')) end

local function mistakes(test)
  local list = {}
  for line in test.read 'tests/ring/planted.list':gmatch '[^\n]+' do
    local words = {}
    for word in (line .. ' | '):gmatch '(.-) | ' do
      table.insert(words, word)
    end
    if not line:find '^#' and #words == 5 then
      local old, new = words[4]:match '^(.-) => (.*)$'
      table.insert(list, {what = words[1], verb = words[2],
        file = 'further/stage18_ring/' .. words[3], old = unfold(old),
        new = unfold(new), found = words[5]})
    end
  end
  return list
end

local function once(text, part)
  local first = text:find(part, 1, true)
  return first and not text:find(part, first + 1, true)
end

local function found(test, m, said, code)
  if code ~= 2 or not test.has(said, 'Error 1') then return false end
  if m.found == 'gates' then return test.has(said, 'FAILED') end
  return test.has(said, m.found)
end

return function(test, which)
  local list = mistakes(test)
  test.ok(#list >= 10, 'planted.list is read', #list)
  for number, m in ipairs(list) do
    local before = test.read(m.file)
    test.ok(once(before, m.old), m.what .. ': its place is there once', m.old)
    if which(number, #list) then
      test.edit(m.file, m.old, m.new)
      local said, code = test.sh('make stage18 ' .. m.verb ..
        ' EXCHANGE=ring ' .. CASES)
      test.ok(found(test, m, said, code), m.what .. ' is found', said ..
        '\nexit code ' .. code)
      test.write(m.file, before)
    end
  end
end
