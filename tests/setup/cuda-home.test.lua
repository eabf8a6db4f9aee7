#!tests/lua.sh
-- Which toolkit cuda-home.sh chooses, with fake ones.
local test = dofile 'tests/setup/machine.lua'
local run, is = test.run, test.is
local deps, path = test.folder .. '/.deps/cuda', test.environment.PATH
local home = 'tools/setup/cuda-home.sh'
local function toolkit(version)
  local folder = test.scratch .. '/cuda-' .. version
  test.fake_toolkit(folder, version)
  return folder
end
local new, old = toolkit '13.0', toolkit '11.8'
-- With a folder first on the PATH, a toolkit in CUDA_HOME, or both.
local function on_path(folder)
  return 'PATH=' .. folder .. ':' .. path .. ' ' .. home
end
local function in_home(folder, command)
  return 'CUDA_HOME=' .. folder .. ' ' .. (command or home)
end

run(home, 'nothing here: exit 3', 3,
  'nothing here: says where it looked', 'no CUDA toolkit on PATH')
run(on_path(new .. '/bin'), 'nvcc on PATH', is(new))
run(on_path(new .. '/bin') .. ' --headers',
  'its headers', is(new .. '/include'))
test.must('mkdir "$1/links" && ln -s "$2/bin/nvcc" "$1/links"',
  test.scratch, new)
run(on_path(test.scratch .. '/links'), 'nvcc behind a link', is(new))

run(in_home(new), 'CUDA_HOME', is(new))
local least = toolkit '12.8'
run(in_home(least, on_path(new .. '/bin')),
  'CUDA_HOME goes before PATH; 12.8 is enough', is(least))
local tenth = toolkit '12.10'
run(in_home(tenth), '12.10 is newer than 12.8', is(tenth))

run(on_path(old .. '/bin'), 'an old nvcc: exit 3', 3,
  'an old nvcc: says its version', 'is CUDA 11.8; 12.8 or newer is needed')
run(on_path(old .. '/bin') .. ' --headers', 'old headers: exit 3', 3)
run(in_home(old, on_path(new .. '/bin')),
  'an old CUDA_HOME gives way to PATH', is(new))
run(in_home '/nowhere', 'CUDA_HOME that is no folder: says so',
  'CUDA_HOME=/nowhere is not')

os.remove(new .. '/lib64/libcudart_static.a')
run(in_home(new), 'a toolkit without its runtime library: exit 3', 3,
  'a toolkit without its runtime library: says so', 'no lib64/libcudart')
run(in_home(new) .. ' --headers', 'its headers serve all the same',
  is(new .. '/include'))
os.remove(new .. '/include/nv/target')
run(in_home(new) .. ' --headers', 'headers without nv/target: says so',
  'no include/nv/target')

test.fake_toolkit(deps, '13.0')
run(home, 'an unfinished .deps/cuda is not used', 3)
test.write(deps .. '/stamp', '')
run(home, 'a finished .deps/cuda is used', is(deps))
run(on_path(old .. '/bin'), 'a finished .deps/cuda after an old nvcc', is(deps))
os.remove(deps .. '/bin/nvcc')
run(home, 'headers only: no toolkit', 3)
run(home .. ' --headers', 'headers only: the headers', is(deps .. '/include'))
run(home .. ' --wrong', 'an unknown option: exit 2', 2)
test.finish()
