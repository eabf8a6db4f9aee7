-- A stage as it is on aarch64: built by the cross compiler in a copy of the
-- tree, run by the emulator, held against this machine's own.
local cross = {}
-- What make is told.
cross.compilers = ' CC=tests/aarch64/gcc.sh CXX=tests/aarch64/g++.sh '

-- The test ends here, skipped, where this machine lacks what it takes.
function cross.needs(test)
  local lacks = test.must 'tests/aarch64/emulate.sh --lacks':match '[^\n]+'
  if not lacks then return end
  test.skip('the executor on aarch64', lacks)
  test.finish()
end

-- Builds KIND/STAGE...; the kind is cpu or instrumented. What make says, and
-- its exit code.
function cross.build(test, ...)
  local programs = {}
  for _, arm in ipairs {...} do
    table.insert(programs, 'build/' .. arm .. '/default/program')
  end
  return test.sh('make -j2' .. cross.compilers .. table.concat(programs, ' '))
end

function cross.command(stage, kind, verb)
  return 'tests/aarch64/emulate.sh build/' .. kind .. '/' .. stage ..
    '/default/program ' .. verb
end

-- The counters of both, but for the one that is read from machine code.
function cross.counts_alike(test, tree, stage, shape)
  local count = 'count --multiprocessors 2 --shape ' .. shape
  local its = test.must(cross.command(stage, 'instrumented', count))
  local ours = test.must(tree .. '/build/instrumented/' .. stage ..
    '/default/program ' .. count)
  local without, lines = ours:gsub('  other float operations[^\n]*\n', '')
  test.ok(lines == 1 and its == without,
    stage .. ': its counters are those of this machine', its)
end

-- The kernel with a mistake is built anew; what `race` says of it at `small`,
-- or at other shapes.
function cross.planted(test, stage, kernel, shapes)
  test.write(stage .. '/kernel.cu', kernel)
  local said, code = cross.build(test, 'instrumented/' .. stage)
  if code ~= 0 then return said, -1 end
  return test.sh(cross.command(stage, 'instrumented', 'race --shape ' ..
    (shapes or 'small')))
end

return cross
