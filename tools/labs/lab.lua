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
local folder, kernel -- the reader's; the file of it that he edits

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

function verbs.hint(lab) folder.hint(lab.hints) end
function verbs.solution(lab) folder.solution(skeleton.solution(lab)) end
function verbs.reset(lab) folder.reset(skeleton.of(lab)) end

local fine, why = pcall(function()
  local lab = format.read(name)
  folder = dofile('tools/labs/folder.lua').of(name, 'skeleton', lab.mine)
  kernel = folder.kernel
  verbs[verb](lab)
end)
if not fine then
  if type(why) ~= 'table' then error(why, 0) end
  io.stderr:write(why.sentence, '\n')
  os.exit(why.code or 2)
end
