-- What the executor cannot say: whether a toggle does something, what nvcc
-- allots, and, where there is a GPU, how long it takes.
local files = dofile 'tools/labs/files.lua'
local programs = dofile 'tools/labs/programs.lua'
local outside = {}

-- The values of a toggle that the reader's kernel declares, the default first.
local function values_of(grade, toggle)
  local text = programs.answer(string.format(
    'tools/toggles/toggles.sh list build/labs/%s 2>&1', grade.lab.name)) or ''
  for line in text:gmatch '[^\n]+' do
    local name, default, rest = line:match '^(%S+) (%S+) (.+)$'
    if name == toggle then
      local values = {default}
      for value in rest:gmatch '%S+' do
        if value ~= default then values[#values + 1] = value end
      end
      return values
    end
  end
end

-- The instructions alone: the object also holds the toggle's own text.
function outside.machine_code(path)
  return pandoc.utils.sha1(assert(programs.answer(
    'objdump -d --no-show-raw-insn ' .. path .. ' | tail -n +4')))
end

local function judge_toggle(grade, toggle, scratch, make)
  local values, seen = values_of(grade, toggle), {}
  local look = 'make ' .. grade.lab.name .. ' check ' .. toggle .. '='
  local name = 'toggle ' .. toggle
  if not values or #values < 2 then
    return grade.add(name, false, 'kernel.cu declares no such toggle with ' ..
      'two values', 'the region toggles')
  end
  for i, value in ipairs(values) do
    local arm = i == 1 and 'default' or toggle .. '-' .. value
    local object = string.format('build/cpu/%s/%s/kernel.o', grade.lab.name,
      arm)
    local how, code = make(scratch .. '/log', object)
    if how ~= 'code' or code ~= 0 then
      return grade.add(name, false, 'with ' .. value ..
        ' it does not compile', look .. value)
    end
    local hash = outside.machine_code(object)
    if seen[hash] then
      return grade.add(name, false, string.format(
        '%s and %s give the same machine code: it does nothing', seen[hash],
        value), 'where ' .. grade.lab.mine .. ' asks for ' .. toggle)
    end
    seen[hash] = value
  end
  grade.add(name, true, table.concat(values, ', ') ..
    ' give different machine code')
end

function outside.toggles(grade, scratch, make)
  for _, toggle in ipairs(grade.lab.toggles) do
    judge_toggle(grade, toggle, scratch, make)
  end
end

-- What the stage may use is in the harness' settings.
local KINDS = {'registers', 'shared_bytes', 'stack_bytes', 'spill_bytes'}
function outside.registers(grade, scratch, make)
  if grade.lab.file ~= 'kernel.cu' then
    return grade.add('resources', nil, grade.lab.mine .. ' is no kernel')
  end
  if (os.getenv 'NVCC' or '') == '' or os.getenv 'LAB_NVCC' == '0' then
    return grade.add('resources', nil, 'nvcc is not here, or LAB_NVCC=0')
  end
  local budget = pandoc.json.decode(files.read 'common/harness/settings.json',
    false).budgets[grade.lab.stage]
  if not budget then return grade.add('resources', nil, 'it has no budget') end
  local arch = os.getenv 'ARCH' or '90a'
  local cubin = string.format('build/gpu/%s/default/sm_%s.cubin',
    grade.lab.name, arch)
  local how, code = make(scratch .. '/log', cubin, 'build/tools/resources')
  if how ~= 'code' or code ~= 0 then
    return grade.add('resources', false, 'nvcc does not compile it: ' ..
      programs.build_error(scratch .. '/log'), "nvcc's words")
  end
  local said = programs.answer('build/tools/resources read ' .. cubin ..
    '.ptxas') or ''
  local words, fine = {}, true
  for _, kind in ipairs(KINDS) do
    local have = tonumber(said:match(kind .. '=(%d+)'))
    fine = fine and have and have <= budget[kind]
    words[#words + 1] = string.format('%s %s of %d', kind:gsub('_', ' '),
      have or '?', budget[kind])
  end
  grade.add('resources', fine and true or false, table.concat(words, ', ') ..
    ', by nvcc for ' .. arch,
    'the arrays that are yours, and how far your loops are unrolled')
end

-- Median of a launch in a graph, against the book's kernel in the same process;
-- what is slower by no more than the noise is not slower.
function outside.time(grade, scratch, make)
  if os.getenv 'HERE' ~= 'gpu' then
    return grade.add('time', nil, 'no GPU is used here')
  end
  if grade.kind.not_timed then
    return grade.add('time', nil, grade.kind.not_timed)
  end
  local lab, book = grade.lab.name, grade.lab.stage
  local program = 'build/gpu/' .. lab .. '/default/program'
  local other = 'build/gpu/' .. book .. '/default/kernel.so'
  local how, code = make(scratch .. '/log', program, other)
  if how == 'code' and code == 0 then
    how, code = programs.run_alone(scratch .. '/log', programs.seconds * 4,
      program, 'bench', '--shape', 'mission', '--seeds', grade.seed,
      '--json', scratch, '--against', other)
  end
  local mine = files.read(scratch .. '/' .. lab .. '.json')
  local theirs = files.read(scratch .. '/' .. book .. '.json')
  if how ~= 'code' or code ~= 0 or not mine or not theirs then
    return grade.add('time', false, programs.complaint(scratch .. '/log',
      lab), 'make ' .. lab .. ' bench')
  end
  mine = pandoc.json.decode(mine, false).perf.mission.graph
  theirs = pandoc.json.decode(theirs, false).perf.mission.graph
  local noise = mine.noise_us or 0
  grade.json.time = {here_us = mine.p50_us, book_us = theirs.p50_us,
    noise_us = noise}
  local limit = theirs.p50_us * (tonumber(grade.lab.time) or 1.1) + noise
  grade.add('time', mine.p50_us <= limit, string.format("%.2f us a launch " ..
    "at mission, at most %.2f (the book's kernel: %.2f, noise %.2f)",
    mine.p50_us, limit, theirs.p50_us, noise), 'make ' .. lab .. ' bench')
end

return outside
