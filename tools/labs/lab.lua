#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- lab.lua VERB LAB: what labs alone have, in the folder that MINE names.
--   lay-out   puts the skeleton there, never over anything, and says the task
--   hint      the next of three
--   solution  how the book's differs from what is there, after an attempt
--   reset     the skeleton again; what was there is kept
local chapter = dofile 'tools/labs/chapter.lua'
local format = dofile 'tools/labs/format.lua'
local kinds = dofile 'tools/labs/kinds.lua'
local programs = dofile 'tools/labs/programs.lua'
local skeleton = dofile 'tools/labs/skeleton.lua'
local files = dofile 'tools/labs/files.lua'
local verb, name = arg[1], arg[2]
local folder, kernel -- the reader's; the file of it that he edits

-- What is graded, but for what is drawn: `check` takes long over all shapes.
local function few_shapes(lab)
  local shapes = {}
  for _, shape in ipairs(lab.inputs) do
    if not shape:find '[?]' and shape ~= 'drift' then
      shapes[#shapes + 1] = shape
    end
  end
  return table.concat(shapes, ' ')
end

local function task(lab)
  print(string.format('%s: %s. %d minutes, from %s.', lab.name, lab.title,
    lab.minutes, lab.stage))
  print('It trains: ' .. lab.trains .. '.')
  local path = chapter.of(lab)
  local from = path and chapter.prints_from(lab, path)
  print(path and 'Its chapter: ' .. path .. (from and '; from "' .. from ..
    '" on it prints what is yours' or '') .. '.\n' or '')
  io.write(lab.task, '\n')
  print(string.format('Yours: %s in %s.', #lab.empties > 1 and
    'the regions ' .. table.concat(lab.empties, ', ') or
    'the region ' .. lab.empties[1], kernel))
  local kind = kinds.of(lab)
  print(string.format('Then: make %s %s; make %s grade. Stuck: make %s hint.',
    name, kind.verbs, name, name))
  if #kind.launch == 0 then
    print(string.format('Quicker at first: make %s check SHAPES="%s".', name,
      few_shapes(lab)))
  end
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

files.main(function()
  local lab = format.read(name)
  folder = dofile('tools/labs/folder.lua').of(name, 'skeleton', lab.mine)
  kernel = folder.kernel
  verbs[verb](lab)
end)
