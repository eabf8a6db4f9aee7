-- Did a kernel pass its gates, and do their figures say so?
local json = require 'data.json'
local gates = {}

local VERDICTS = { passed = true, ['not judged'] = true }

local function check_case(case, fault)
  local name = string.format('%s, seed %s', tostring(case.name),
    tostring(case.seed))
  local judged = 0
  local all = case.gates
  for _, gate in ipairs(type(all) == 'table' and json.keys(all) or {}) do
    local its = all[gate]
    if not VERDICTS[its.verdict] then
      fault('%s: the gate %s says "%s"', name, gate, tostring(its.verdict))
    elseif its.verdict == 'passed' then
      judged = judged + 1
      if type(its.figure) ~= 'number' or type(its.limit) ~= 'number' or
          its.figure > its.limit then
        fault('%s: the gate %s has passed, and its figure is over its limit',
          name, gate)
      end
    end
  end
  if judged == 0 then fault('%s: no gate has judged it', name) end
  if not case.passed then fault('%s has not passed', name) end
end

-- correctness: of a result; shapes: where it must have passed, with each of the
-- seeds, or with any where there are none.
function gates.check(correctness, shapes, seeds, fault)
  local each = type(correctness) == 'table' and correctness.each
  if type(each) ~= 'table' then return fault 'it has no gates' end
  local seen = {}
  for _, case in ipairs(each) do
    check_case(case, fault)
    seen[tostring(case.name) .. ' ' .. tostring(case.seed)] = true
    seen[tostring(case.name)] = true
  end
  if correctness.cases ~= #each or correctness.failed ~= 0 or
      correctness.all_passed ~= true then
    fault 'its count of cases is not that of the cases that it lists'
  end
  for _, shape in ipairs(shapes) do
    if not seen[shape] then fault('no gates at %s', shape) end
    for _, seed in ipairs(seeds) do
      if seen[shape] and not seen[shape .. ' ' .. math.tointeger(seed)] then
        fault('no gates at %s with seed %d', shape, math.tointeger(seed))
      end
    end
  end
end

return gates
