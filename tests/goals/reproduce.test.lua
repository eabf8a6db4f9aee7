#!tests/lua.sh
-- Two builds in two folders give the same bytes: programs and cubins. (Of the
-- book: tests/book/formats.test.lua.)
-- takes: 60 s
local test = dofile 'tests/lib.lua'
local here = test.folder
local one, other = test.scratch .. '/one', test.scratch .. '/another/folder'
local function is_here(script) return select(2, test.sh(script)) == 0 end
local has_nvcc = is_here 'tools/setup/cuda-home.sh'

-- It would give the second what it kept of the first.
test.environment.CCACHE_DISABLE = '1'
for name in ('MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED'):gmatch '%S+' do
  test.environment[name] = false
end
for index, folder in ipairs {one, other} do
  test.folder = here
  test.must('. tests/lib.sh; copy_sources "$1"', folder)
  test.folder = folder
  test.ends(({'the first build', 'the second build'})[index], 0, '', [[
make -j2 stage1 TARGET=cpu || exit
[ "$1" = false ] || make -j2 stage1 TARGET=gpu resources]], has_nvcc)
end

local files = test.lines(test.must([[
cd "$1" && find build -type f \( -name program -o -name '*.cubin' \
  -o -name '*.o' \) | sort]], one))
for kind in ('program .cubin .o'):gmatch '%S+' do
  local count, differing = 0, {}
  for _, file in ipairs(files) do
    if file:sub(-#kind) == kind then
      count = count + 1
      if test.read(one .. '/' .. file) ~= test.read(other .. '/' .. file) then
        table.insert(differing, file)
      end
    end
  end
  if kind == '.cubin' and not has_nvcc then
    test.skip('cubins', 'no nvcc here')
  else
    test.ok(#differing == 0 and count > 0, count .. ' files of kind ' .. kind ..
      ' are the same', table.concat(differing, '\n'))
  end
end
test.finish()
