-- What a grade asks of a kernel, in this order: each question costs more than
-- the one before it, and what ends one ends those that need its answer.
local admit = dofile 'tools/labs/admit.lua'
local count = dofile 'tools/labs/count.lua'
local files = dofile 'tools/labs/files.lua'
local folder_of = dofile 'tools/source/folder.lua'
local outside = dofile 'tools/labs/outside.lua'
local programs = dofile 'tools/labs/programs.lua'
local sheet = dofile 'tools/labs/sheet.lua'
local skeleton = dofile 'tools/labs/skeleton.lua'
local stripped = dofile 'tools/labs/stripped.lua'
local make, stop = programs.make, files.stop
local demands = {}

local LARGEST = 1 << 20 -- bytes of a kernel's source

function demands.check_size(path, text)
  if #text > LARGEST then
    stop('%s has more than a megabyte: no kernel is that long.', path)
  end
end

-- A file that can be graded at all.
local function read_kernel(lab, path)
  local text = files.read(path) or
    stop("There is no %s yet: 'make %s' lays it out.", path, lab.name)
  demands.check_size(path, text)
  for _, region in ipairs(lab.empties) do
    if not skeleton.region(text, region) then
      stop('%s has no region %s any more: put its marks back, //> %s and ' ..
        '//< %s, each alone in a line.', path, region, region, region)
    end
  end
  return text
end

-- The name of a stage that this is, word for word; not of the lab's own. The
-- stage before may also come as it is compiled by default.
local function stage_of(lab, text)
  local wanted, before = stripped(text), nil
  for name in programs.answer 'tools/source/ladder.sh':gmatch '[^\n]+' do
    if name == lab.stage then
      if before and wanted == stripped(programs.answer(
          'tools/diff/default-arm.sh ' .. before)) then
        return before
      end
    elseif wanted == stripped(files.read(folder_of(name) .. '/kernel.cu')) then
      return name
    end
    before = name
  end
end

-- Where the compiler or linker could not go on.
local function not_built(grade, log, how, code)
  local said = files.read(log) or ''
  if said:find 'No space left' or said:find 'disk may be full' or
      said:find 'File too large' then
    error({sentence = 'There is no room to build: the disk is full. Nothing ' ..
      'of yours was changed.', code = 3}, 0)
  end
  return grade.add('compiles', false, how == 'code' and
    programs.build_error(log) or programs.sentence(how, code),
    "the compiler's words")
end

-- Builds the programs of the reader's kernel, once its objects are admitted;
-- false with a line where that fails. The instrumented object has one
-- constructor, gcc's own.
function demands.build(grade, scratch)
  local plain = string.format('build/cpu/%s/default/', grade.lab.name)
  local seen = string.format('build/instrumented/%s/default/', grade.lab.name)
  local log, objects = scratch .. '/log', grade.kind.objects
  local how, code = make(log, '-j2', objects[1].path, objects[2] and
    objects[2].path)
  if how ~= 'code' or code ~= 0 then
    return not_built(grade, log, how, code)
  end
  for _, object in ipairs(objects) do
    local fault = admit.fault(object.path, object.constructors,
      grade.kind.book)
    if fault then
      return grade.add('admitted', false, grade.lab.mine .. ' ' .. fault ..
        '.', 'labs/README.md says what a grade does not run')
    end
  end
  how, code = make(log, '-j2', plain .. 'attempt', seen .. 'program',
    grade.kind.attempt_counts and seen .. 'attempt')
  if how ~= 'code' or code ~= 0 then
    return not_built(grade, log, how, code)
  end
  return grade.add('compiles', true, 'for the executor')
end

-- ---- gates ----

-- Why the gates refuse one case.
function demands.gate_words(one)
  if one.why then return one.why end
  local words, finite = {}, one.gates.finite
  -- Figures of outputs that are no numbers say nothing more.
  if finite and finite.verdict == 'failed' then
    return string.format('%.0f outputs are infinite or no number',
      finite.figure)
  end
  for _, gate in ipairs {'max_abs_err', 'mean_abs_err', 'pct_bad', 'rel_rms',
      'signed_mean'} do
    local g = one.gates[gate]
    if g and g.verdict == 'failed' then
      words[#words + 1] = type(g.figure) == 'number' and string.format(
        '%s %.3g, at most %.3g', gate, g.figure, g.limit) or
        gate .. ' is no number'
    end
  end
  return table.concat(words, '; ')
end

-- Whether long sums drift, without what only the author of a stage can mend.
function demands.drift_words(says)
  return (says:gsub('^FAILED: ', ''):gsub(
    ', and stage_support does not say DRIFTS$', ''):gsub('%. *$', ''))
end

local function judge_gates(grade, scratch)
  local lab = grade.lab
  local folder = 'build/cpu/' .. lab.name .. '/default/'
  local cases = grade.cases()
  local list = table.concat(cases, ' ')
  assert(programs.answer(string.format('%s %s/inputs %s', grade.kind.draw,
    scratch, list)), 'the inputs could not be drawn')
  local how, code = grade.run(scratch .. '/log', programs.seconds,
    folder .. 'attempt', scratch .. '/inputs', scratch .. '/outputs')
  local result = scratch .. '/gates.json'
  local _, table_of_shapes = programs.answer(string.format(
    'build/cpu/%s/default/judge %s/outputs %s %s 2>&1', lab.stage, scratch,
    result, list))
  local text = files.read(result)
  if not text then error(table_of_shapes, 0) end
  local gates = pandoc.json.decode(text, false)
  local drift = gates.drift
  local first
  for _, one in ipairs(gates.each) do
    if not one.passed then first = first or one end
  end
  local words = string.format('%d of %d inputs pass', gates.cases -
    gates.failed, gates.cases)
  if first then
    words = string.format('%s; the first that fails, %s, %s, seed %.0f: %s',
      words, first.name, first.distribution, first.seed,
      demands.gate_words(first))
  end
  if drift then 
    words = words .. '; ' .. demands.drift_words(drift.says)
  end
  if how ~= 'code' or code ~= 0 then
    words = programs.sentence(how, code) .. ' ' .. words
  end
  grade.json.gates = gates
  grade.add('gates', how == 'code' and code == 0 and gates.all_passed and
    (not drift or drift.passed), words, 'make ' .. lab.name .. ' check' ..
    (first and ' SHAPES=' .. first.name or ''))
  return how == 'code'
end

-- ---- races ----

-- The first finding of the race check, and its places.
function demands.first_finding(log)
  local lines, words = {}, {}
  for line in (files.read(log) or ''):gmatch '[^\n]+' do
    lines[#lines + 1] = line
  end
  for i, line in ipairs(lines) do
    if line:find '^%l[%a -]*: ' and not line:find ': %d+ finding' then
      words[1] = line
      for n = i + 1, #lines do
        if not lines[n]:find '^ ' then break end -- another finding
        local place = lines[n]:match '^ +%l+ +%S-([^/%s]+:%d+)'
        if place then words[#words + 1] = place end
      end
      break
    end
  end
  return table.concat(words, ', ')
end

-- Of ranks, whose race check judges outputs as well: where they are wrong with
-- no race; nil elsewhere.
function demands.wrong_without_race(log)
  local messages, place
  for line in (files.read(log) or ''):gmatch '[^\n]+' do
    messages = line:match '^%S+ on %d+ ranks: (messages .+)' or messages
    place = place or line:match '^(.+): 0 findings, and a gate failed$'
    if place then break end
  end
  return place and string.format('no race, but a gate failed at %s, %s', place,
    messages or '')
end

local function judge_races(grade, scratch)
  local lab, log = grade.lab, scratch .. '/race'
  local words = {'build/instrumented/' .. lab.name .. '/default/program',
    'race', '--seeds', grade.seed, table.unpack(grade.kind.race)}
  for _, shape in ipairs(grade.shapes) do
    table.insert(words, '--shape')
    table.insert(words, shape)
  end
  local how, code = grade.run(log, programs.seconds * 4, table.unpack(words))
  local said = files.read(log)
  local fine = how == 'code' and code == 0
  for _, shape in ipairs(grade.shapes) do
    fine = fine and said:find(shape .. grade.kind.clean .. '0 findings\n', 1,
      true)
  end
  local found, verb = demands.first_finding(log), ' race'
  if found == '' and not fine then
    local wrong = how == 'code' and demands.wrong_without_race(log)
    found = wrong or (how ~= 'code' and programs.sentence(how, code)) or
      programs.complaint(log, lab.name)
    -- What the gates have found already, `check` shows better.
    if wrong and not grade.json.gates.all_passed then verb = ' check' end
  end
  grade.add('race', fine and true or false,
    fine and 'no findings at ' .. table.concat(grade.shapes, ' ') or found,
    'make ' .. lab.name .. verb)
  return how == 'code'
end

-- ---- all ----

-- What is asked of a kernel that is built.
function demands.ask(grade, scratch)
  if not judge_gates(grade, scratch) then return end
  if judge_races(grade, scratch) then count.judge(grade, scratch) end
  outside.toggles(grade, scratch, make)
  outside.registers(grade, scratch, make)
  outside.time(grade, scratch, make)
end

function demands.grade(lab, folder)
  local text = read_kernel(lab, folder .. '/' .. lab.mine)
  local grade = sheet.new(lab, folder)
  grade.json.attempt = false
  for _, region in ipairs(lab.empties) do
    if stripped(skeleton.region(text, region)) ~=
        stripped(lab.stubs[region]) then
      grade.json.attempt = true
    end
  end
  local other = lab.file == 'kernel.cu' and stage_of(lab, text)
  if other then
    grade.add('yours', false, 'this is ' .. other .. ' as it is',
      'make diff-' .. lab.stage:match '^[^_]+')
  end
  files.scratch(function(scratch)
    if demands.build(grade, scratch) then demands.ask(grade, scratch) end
  end)
  grade.close()
  return grade
end

return demands
