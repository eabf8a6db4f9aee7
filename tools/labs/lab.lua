#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- lab.lua VERB LAB: what labs alone have, in the folder that MINE names.
--   lay-out   puts the skeleton there, never over anything, and says the task
--   hint      the next of three
--   solution  how the book's differs from what is there, after an attempt
--   reset     the skeleton again; what was there is kept
local format = dofile 'tools/labs/format.lua'
local kinds = dofile 'tools/labs/kinds.lua'
local skeleton = dofile 'tools/labs/skeleton.lua'
local files = dofile 'tools/labs/files.lua'
local verb, name = arg[1], arg[2]
local folder = (os.getenv 'MINE' or 'mine') .. '/' .. name
local kernel -- the reader's file

local function stop(...) error({sentence = string.format(...)}, 0) end

local function need_kernel()
  return files.read(kernel) or
    stop("There is no %s yet: 'make %s' lays it out.", kernel, name)
end

local function task(lab)
  print(string.format('%s: %s. %d minutes, from %s.', lab.name, lab.title,
    lab.minutes, lab.stage))
  print('It trains: ' .. lab.trains .. '.\n')
  io.write(lab.task, '\n')
  print(string.format('Yours: %s in %s.', #lab.empties > 1 and
    'the regions ' .. table.concat(lab.empties, ', ') or
    'the region ' .. lab.empties[1], kernel))
  print(string.format('Then: make %s %s; make %s grade. Stuck: make %s hint.',
    name, kinds.of(lab).verbs, name, name))
end

local verbs = {}

verbs['lay-out'] = function(lab)
  if files.read(kernel) then
    print(kernel .. ' is there already, and was left alone.\n')
  else
    files.write(kernel, skeleton.of(lab))
  end
  task(lab)
end

-- How many were given is kept beside the kernel.
function verbs.hint(lab)
  need_kernel()
  local given = tonumber(files.read(folder .. '/hints') or '') or 0
  local number = math.max(1, math.min(given + 1, #lab.hints))
  print(string.format('Hint %d of %d:', number, #lab.hints))
  io.write(lab.hints[number])
  files.write(folder .. '/hints', number .. '\n')
end

-- An attempt is a grade of something else than the skeleton.
local function attempted()
  local text = files.read(folder .. '/grade.json')
  if not text then
    stop("The solution comes after an attempt: 'make %s grade' first.", name)
  end
  local fine, grade = pcall(pandoc.json.decode, text, false)
  if not fine or type(grade) ~= 'table' or grade.attempt == nil then
    stop("%s/grade.json is no whole grade: 'make %s grade' writes it anew.",
      folder, name)
  end
  if not grade.attempt then
    stop('What was graded is the skeleton: try first, then ask for the ' ..
      'solution.')
  end
end

function verbs.solution(lab)
  need_kernel()
  attempted()
  files.scratch(function(scratch)
    files.write(scratch .. '/book', skeleton.solution(lab))
    if os.execute(string.format('diff -u --label %s --label %s %s %s',
        files.quoted(kernel), files.quoted("the book's"),
        files.quoted(kernel), scratch .. '/book')) then
      print('Yours is what the book has, word for word.')
    end
  end)
end

function verbs.reset(lab)
  need_kernel()
  local number = 1
  while files.read(kernel .. '.' .. number) do number = number + 1 end
  local kept = kernel .. '.' .. number
  -- The old one lies in safety before the new one takes its place.
  files.write(kept, files.read(kernel))
  files.write(kernel, skeleton.of(lab))
  print(string.format('%s is the skeleton again; what was there is %s.',
    kernel, kept))
end

local fine, why = pcall(function()
  local lab = format.read(name)
  kernel = folder .. '/' .. lab.mine
  verbs[verb](lab)
end)
if not fine then
  if type(why) ~= 'table' then error(why, 0) end
  io.stderr:write(why.sentence, '\n')
  os.exit(why.code or 2)
end
