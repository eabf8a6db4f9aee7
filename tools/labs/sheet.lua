-- The lines of one grade, and the inputs that are drawn for it.
local files = dofile 'tools/labs/files.lua'
local kinds = dofile 'tools/labs/kinds.lua'
local programs = dofile 'tools/labs/programs.lua'
local generator = dofile 'tools/labs/random.lua'
local seed = dofile 'tools/labs/seed.lua'
local sheet = {}

local KINDS = {'normal', 'large-logits', 'dominant-key', 'constant-rows',
  'mixed-scales', 'zero-head'}
local MULTIPROCESSORS = {2, 8, 132}
local LONGEST = 300 -- what is drawn for a ? in a shape

function sheet.new(lab, folder)
  local grade = {lab = lab, kind = kinds.of(lab), shapes = {}, lines = {},
    seed = seed('A grade', os.getenv 'SEEDS' or '', 10)}
  local draw = generator(grade.seed)
  grade.json = {lab = lab.name, stage = lab.stage, seed = grade.seed,
    graded = os.date '!%Y-%m-%dT%H:%M:%SZ', demands = grade.lines}
  local with_drift = false
  for _, input in ipairs(lab.inputs) do
    if input == 'drift' then
      with_drift = true
    else
      table.insert(grade.shapes, (input:gsub('%?', function()
        return tostring(1 + draw(LONGEST))
      end)))
    end
  end

  -- Each shape with each kind of inputs, and on devices of each size.
  function grade.cases()
    local cases, first = {}, draw(#MULTIPROCESSORS)
    for i, shape in ipairs(grade.shapes) do
      for k, kind in ipairs(KINDS) do
        table.insert(cases, string.format('%s/%s/%d/%d', shape, kind,
          grade.seed + i, MULTIPROCESSORS[1 + (first + k) % #MULTIPROCESSORS]))
      end
    end
    if with_drift then table.insert(cases, 'drift') end
    return cases
  end

  -- Runs a program of the reader's, as programs.run does it. One that launches
  -- ranks may end before they do.
  function grade.run(log, seconds, ...)
    local words = table.move(grade.kind.launch, 1, #grade.kind.launch, 1, {})
    local launched = #words > 0
    for _, word in ipairs {...} do table.insert(words, word) end
    local how, code, ended = programs.run(log, seconds, table.unpack(words))
    if launched and how == 'others' then return 'code', ended end
    return how, code
  end

  -- One demand: true, false, or nil where it is not judged here. What is not
  -- met says where to look. Returns whether it is met.
  function grade.add(demand, met, says, look)
    table.insert(grade.lines, {demand = demand, says = says,
      met = met == nil and 'not judged' or met,
      look = met == false and look or nil})
    return met
  end

  function grade.close()
    local not_met = 0
    for _, line in ipairs(grade.lines) do
      if line.met == false then not_met = not_met + 1 end
    end
    grade.json.not_met = not_met
    grade.json.passed = not_met == 0
  end

  -- Says it all and writes it beside the kernel; returns the exit code.
  function grade.hand_in()
    print(string.format('%s, %s/%s; inputs drawn with SEEDS=%d', lab.name,
      folder, lab.mine, grade.seed))
    for _, line in ipairs(grade.lines) do
      local met = line.met == true and 'met' or
        line.met == false and 'NOT MET' or 'not judged'
      print(string.format('  %-10s %s: %s', met, line.demand, line.says))
      if line.look then print('             look: ' .. line.look) end
    end
    if grade.json.passed then
      print(string.format('%s is passed.', lab.name))
    else
      print(string.format('%s is not passed: %d of %d demands are not met.',
        lab.name, grade.json.not_met, #grade.lines))
    end
    files.write(folder .. '/grade.json', pandoc.json.encode(grade.json) .. '\n')
    print('wrote ' .. folder .. '/grade.json')
    return grade.json.passed and 0 or 1
  end
  return grade
end

return sheet
