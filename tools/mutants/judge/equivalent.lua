-- What equivalent.list says of a mistake.
local equivalent = {}

local function trimmed(text) return (text:gsub('^%s+', ''):gsub('%s+$', '')) end

function equivalent.read(path)
  local list = {}
  for line in io.lines(path) do
    if line:find '%S' and not line:find '^#' then
      local fields = {}
      for field in (line .. '|'):gmatch '([^|]*)|' do
        fields[#fields + 1] = trimmed(field)
      end
      assert(#fields == 5, path .. ': a line has not five fields: ' .. line)
      list[#list + 1] = {stage = fields[1], region = fields[2],
        rule = fields[3], code = fields[4], why = fields[5]}
    end
  end
  return list
end

local function fits(pattern, text) return pattern == '*' or pattern == text end

-- The first entry for a mistake: a class, or with `stage` one of that stage.
function equivalent.find(list, m, stage)
  for _, entry in ipairs(list) do
    if entry.stage == (stage or '*') and fits(entry.region, m.region) and
        fits(entry.rule, m.rule) and
        (entry.code == '*' or m.sentence:find(entry.code, 1, true)) then
      return entry
    end
  end
end

return equivalent
