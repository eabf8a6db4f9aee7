#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- roster.lua DIR: grades each kernel in a class' folder again, and writes
-- DIR/roster.html. Exit 2 where DIR is no class, 3 where the page cannot be
-- written. In the environment: SEEDS, to grade with the inputs of another
-- roster again; LAB_NVCC=1, to have nvcc judge registers as well.
local boards = dofile 'tools/workshop/boards.lua'
local class = dofile 'tools/workshop/class.lua'
local files = dofile 'tools/labs/files.lua'
local page = dofile 'tools/workshop/page.lua'
local drawn = dofile 'tools/labs/seed.lua'
local regrade = dofile 'tools/workshop/regrade.lua'
local folder = arg[1] or ''

files.main(function()
  if folder == '' then
    files.stop "roster needs the class' folder, as in 'make roster DIR=class'."
  end
  if not folder:find '^/' then folder = './' .. folder end
  local students = class.read(folder)
  if #students == 0 then
    files.stop('%s has no folders: it should have one a student.',
      page.clean(arg[1]))
  end
  local seed = drawn('A roster', os.getenv 'SEEDS' or '', 9)
  for _, student in ipairs(students) do
    for _, lab in ipairs(student.labs) do
      lab.grade = lab.kernel and regrade.of(lab.name, lab.kernel, seed) or
        {passed = false, attempt = true, why = lab.fault or
          'it cannot be read'}
      print(string.format('%s, %s: %s', page.clean(student.name), lab.name,
        lab.grade.passed and 'passed' or 'not passed'))
    end
  end
  files.write(folder .. '/roster.html',
    page.html(students, boards.of(students), seed))
  print('wrote ' .. page.clean(arg[1]) .. '/roster.html')
end)
