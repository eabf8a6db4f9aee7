-- Judges a mended copy: the mistake is gone, nothing else is another, and a
-- sentence names what was wrong.
local demands = dofile 'tools/labs/demands.lua'
local files = dofile 'tools/labs/files.lua'
local folder_of = dofile 'tools/source/folder.lua'
local mistakes = dofile 'tools/bughunt/mistakes.lua'
local outside = dofile 'tools/labs/outside.lua'
local programs = dofile 'tools/labs/programs.lua'
local sentence = dofile 'tools/bughunt/sentence.lua'
local sheet = dofile 'tools/labs/sheet.lua'
local stripped = dofile 'tools/labs/stripped.lua'
local symptoms = dofile 'tools/bughunt/symptoms.lua'

local INPUTS = {'small', 'odd', '1,2,?,64'}
-- What a kernel does, of which a copy that is mended does neither more nor less
local SAME = {'shared_wavefronts', 'bank_conflicts', 'global_load_sectors',
  'global_store_sectors', 'barriers', 'shuffles', 'tensor_instructions'}

local function lab_of(hunt)
  local lab = {name = 'bughunt', stage = hunt.stage, inputs = INPUTS,
    file = 'kernel.cu', mine = 'kernel.cu', empties = {}, toggles = {},
    demands = {}, count = mistakes.counted}
  for _, counter in ipairs(SAME) do
    table.insert(lab.demands, {counter = counter, sign = '==', factor = 1})
  end
  return lab
end

-- The executor's machine code of the copy is the stage's.
local function same_code(scratch, hunt)
  local object = 'build/cpu/%s/default/kernel.o'
  local book = object:format(hunt.stage)
  local how, code = programs.make(scratch .. '/log', book,
    'build/cpu/' .. hunt.stage .. '/default/judge',
    'build/instrumented/' .. hunt.stage .. '/default/program',
    'build/tools/draw')
  if how ~= 'code' or code ~= 0 then
    error({sentence = "The book's kernel cannot be built here: " ..
      programs.complaint(scratch .. '/log', ''), code = 3}, 0)
  end
  return outside.machine_code(object:format 'bughunt') ==
    outside.machine_code(book)
end

-- What a kernel has beside its default arm, which the checks do not run.
local function other_arms(folder)
  local default = programs.answer('tools/diff/default-arm.sh --marked ' ..
    folder)
  if not default then return end
  local times, others = {}, {}
  for line in default:gmatch '[^\n]+' do
    line = stripped(line)
    times[line] = (times[line] or 0) + 1
  end
  for line in files.read(folder .. '/kernel.cu'):gmatch '[^\n]+' do
    local left = times[stripped(line)] or 0
    if left > 0 then
      times[stripped(line)] = left - 1
    elseif not line:find '^#line ' then
      others[#others + 1] = stripped(line)
    end
  end
  return table.concat(others, '\n')
end

-- Where nothing above refuses a copy, the verb that has shown the symptom is
-- asked again, at all that it runs by itself, and so is race: what was mended
-- wrongly may have a race where the mistake had none. (Counters are compared
-- above.)
local LONGER = {{'race'}, {'check', 'race'}, {'race'}}
local function ask_longer(grade, scratch, hunt)
  for _, line in ipairs(grade.lines) do
    if line.met == false then return end
  end
  for _, verb in ipairs(LONGER[hunt.level]) do
    local symptom = symptoms.anywhere(scratch, verb)
    grade.add('symptom', not symptom, symptom or
      verb .. ' is silent at all of its own shapes', 'make bughunt ' .. verb)
    if symptom then return end
  end
end

-- A copy that is neither the stage's text nor what was laid out.
local function judge_other(grade, scratch, hunt, text)
  local left = mistakes.is_there(hunt, text)
  if left then
    return grade.add('mended', false, 'what was wrong is still there',
      'make bughunt hint')
  end
  if not demands.build(grade, scratch) then return end
  if other_arms 'build/labs/bughunt' ~=
      other_arms(folder_of(hunt.stage)) then
    return grade.add('mended', false, 'lines of other arms have ' ..
      'changed: the mistake is in what is compiled by default',
      'make bughunt solution')
  end
  if same_code(scratch, hunt) then
    return grade.add('mended', true, "the machine code is the stage's")
  end
  grade.add('mended', true, "neither the stage's text nor its machine code: " ..
    'gates, races and counters decide')
  demands.ask(grade, scratch)
  ask_longer(grade, scratch, hunt)
end

local function judge(grade, scratch, hunt, text)
  if stripped(text) == stripped(hunt.text) then
    grade.json.attempt = false
    return grade.add('mended', false, 'this is the kernel that was laid out',
      'make bughunt race, check and count')
  end
  if stripped(text) == stripped(hunt.book) then
    return grade.add('mended', true, "the text is the stage's, white space " ..
      'and comments aside')
  end
  judge_other(grade, scratch, hunt, text)
end

-- The grade of what lies in this folder; see tools/labs/folder.lua.
return function(hunt, folder)
  local text = folder.need_kernel()
  local grade = sheet.new(lab_of(hunt), folder.path)
  grade.json.attempt = true
  grade.json.level = hunt.level
  demands.check_size(folder.kernel, text)
  files.scratch(function(scratch) judge(grade, scratch, hunt, text) end)
  local found = folder.path .. '/found.txt'
  local named, why = sentence.judge(files.read(found), hunt)
  grade.add('sentence', named, found .. ': ' .. why, 'make bughunt')
  grade.close()
  return grade
end
