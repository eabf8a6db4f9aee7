-- Whether the reader's one sentence names the mistake: its region first, and
-- then its line or its kind.
local kinds = dofile 'tools/bughunt/kinds.lua'
local sentence = {}

local LONGEST, FEWEST_WORDS = 300, 6
local NEAR = 2         -- lines beside the mistake
local WIDEST = 10      -- lines that may be named
local KINDS_MOST = 2   -- who names all kinds names none

-- What the task says of it.
function sentence.rules(path)
  local names = {}
  for i, kind in ipairs(kinds.all) do
    names[i] = (i % 9 == 0 and '\n' or '') .. kind.name
  end
  return string.format([[
Then write one sentence on what was wrong into %s.
It begins with "In REGION": the innermost region of the mistake, as its mark has
it. And it names the line in the file that was laid out, as in "line 214" or
"lines 210 to 216", %d lines at most; or it says of what kind the mistake is,
with one of these words, two at most:
%s.
]], path, WIDEST, (table.concat(names, ', '):gsub(', \n', ',\n')))
end

local function kinds_in(text)
  local found, count = {}, 0
  for _, kind in ipairs(kinds.all) do
    for _, word in ipairs(kind.words) do
      if not found[kind.name] and
          (' ' .. text):find('%A' .. word:gsub('%p', '%%%0')) then
        found[kind.name], count = true, count + 1
      end
    end
  end
  return found, count
end

-- The lines that it names: first and last; nil where it names none.
local function lines_in(text)
  local first, last = text:match 'lines? (%d+)%s*[-–to]+%s*(%d+)'
  first = first or text:match 'line (%d+)'
  return tonumber(first), tonumber(last or first)
end

-- Returns whether it names the mistake, and a sentence on that which betrays
-- nothing.
function sentence.judge(text, mistake)
  text = (text or ''):gsub('%s+', ' '):gsub('^ ', ''):gsub(' $', '')
  if text == '' then return false, 'nothing is written there yet' end
  local _, words = text:gsub('%S+', '')
  local _, ends = (text .. ' '):gsub('[.!?] ', '')
  if #text > LONGEST or words < FEWEST_WORDS or ends ~= 1 or
      not text:find '[.!]$' then
    return false, string.format('one sentence of %d words or more, %d ' ..
      'characters at most, with one full stop at its end', FEWEST_WORDS,
      LONGEST)
  end
  local region, rest = text:match '^[Ii]n ([%l%d-]+)(.*)$'
  if not region then return false, 'it does not begin with "In REGION"' end
  local first, last = lines_in(rest)
  local named, count = kinds_in(rest:lower())
  if first and (last < first or last - first >= WIDEST) then
    return false, string.format('it names more than %d lines', WIDEST)
  elseif not first and count == 0 then
    return false, 'it names neither a line nor a kind of mistake'
  elseif count > KINDS_MOST then
    return false, string.format('it names %d kinds of mistakes', count)
  end
  local at = first and first - NEAR <= mistake.line and
    mistake.line <= last + NEAR
  if region ~= mistake.region or not (at or named[mistake.kind.name]) then
    return false, 'it does not name this mistake'
  end
  return true, 'it names the mistake'
end

return sentence
