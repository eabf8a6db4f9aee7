#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- Runs experiments on mistakes:  run.lua NAME|'' ALL-NAMES...
local wanted, names = arg[1], {table.unpack(arg, 2)}
local known = wanted == ''
for _, name in ipairs(names) do known = known or name == wanted end
if not known then
  io.stderr:write("There is no experiment '", wanted, "'; there are: ",
    table.concat(names, ' '), '.\n')
  os.exit(2)
end
local status = 0
for _, name in ipairs(wanted == '' and names or {wanted}) do
  if wanted == '' then
    io.write('--- ', name, '\n')
    io.flush()
  end
  local _, _, code = os.execute('tests/fooled/experiments/' .. name .. '.lua')
  if status == 0 and (code ~= 3 or wanted ~= '') then status = code end
end
os.exit(status)
