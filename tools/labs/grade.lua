#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- grade.lua LAB: judges the reader's kernel, prints a line for each demand, and
-- writes grade.json beside it. Exit code 0 if all that is judged here is met, 1
-- if not, 2 where there is nothing to grade, 3 where this machine cannot.
-- In the environment: MINE, the reader's folder; SEEDS, to grade with the
-- inputs of another grade again; LAB_SECONDS, how long his programs may run.
local format = dofile 'tools/labs/format.lua'
local files = dofile 'tools/labs/files.lua'
local name = arg[1]
local folder = (os.getenv 'MINE' or 'mine') .. '/' .. name

files.main(function()
  local lab = format.read(name)
  local demands = dofile 'tools/labs/demands.lua'
  return demands.grade(lab, folder).hand_in()
end)
