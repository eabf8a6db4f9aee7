-- For the tests of setup: tests/lib.lua, and a machine that is made up. It has
-- a tree with a copy of tools/, and a PATH that holds only what a test puts
-- there: no network, nothing installed.
local test = dofile 'tests/lib.lua'
local bin = test.scratch .. '/bin'

-- Programs of the machine that runs the test.
function test.own_programs(names)
  test.must([[for name in $2; do
    ln -s "$(PATH=$3 command -v "$name")" "$1/$name"
  done]], bin, names, os.getenv 'PATH')
end

test.must([[mkdir -p "$1/tree/tools" "$1/bin"
cp -R tools/setup tools/doctor "$1/tree/tools"]], test.scratch)
test.own_programs [[sh env cat cmp cp cut date dirname fold flock grep awk head
  id ln ls mkdir mv readlink rm sed sleep sort tail touch tr uname]]
test.folder = test.scratch .. '/tree'
test.environment.PATH = bin
test.environment.CUDA_HOME = false

-- A program on the PATH, or none.
function test.fake(name, body)
  test.no_program(name)
  test.script(bin .. '/' .. name, body)
end

function test.no_program(name) os.remove(bin .. '/' .. name) end

-- As much of a toolkit as cuda-home.sh looks at.
function test.fake_toolkit(folder, version)
  test.must([[mkdir -p "$1" && cd "$1"
mkdir -p bin lib64 include/crt include/nv include/nvtx3 && cd include &&
touch ../lib64/libcudart_static.a cuda_runtime.h cuda.h cuda_fp8.h \
  cuda_fp16.h cuda_pipeline.h mma.h crt/host_defines.h nv/target \
  nvtx3/nvToolsExt.h]], folder)
  local major, minor = version:match '(%d+)%.(%d+)'
  test.write(folder .. '/include/cuda_runtime_api.h', string.format(
    '#define CUDART_VERSION %d\n', major * 1000 + minor * 10))
  test.script(folder .. '/bin/nvcc', string.format(
    'echo "Cuda compilation tools, release %s, V%s.1"\n', version, version))
end

-- A machine that has every Debian package.
function test.fake_packages()
  for name in ([[make gcc g++ ccache strace git unifdef node chromium qpdf clang
      shellcheck unzip pdftotext jq codespell aspell]]):gmatch '%S+' do
    test.fake(name, 'echo 999.1.2\n')
  end
  test.fake('python3', 'echo Python 3.99.1\n')
  local pins = test.read 'tools/setup/pins.conf'
  test.write('tools/setup/pins.conf',
    (pins:gsub('file:%S+', 'file:' .. test.scratch)))
end

-- Runs a script and holds it against pairs of a name and what is expected: an
-- exit code, a text that it says, any blanks alike, or a function of what it
-- says. Returns that.
function test.run(script, ...)
  local said, code = test.sh(script)
  local in_one_line = said:gsub('%s+', ' ')
  local expected = {...}
  for i = 1, #expected, 2 do
    local name, wanted = expected[i], expected[i + 1]
    local kind = type(wanted)
    test.ok(kind == 'number' and code == wanted or
      kind == 'string' and in_one_line:find(wanted, 1, true) or
      kind == 'function' and wanted(said), name,
      said .. '\nexit code ' .. code)
  end
  return said
end

-- What `run` expects, but for numbers and texts.
function test.is(text)
  return function(said) return said:gsub('\n+$', '') == text end
end

function test.matches(pattern)
  return function(said) return said:find(pattern) end
end

function test.silent_on(...)
  local texts = {...}
  return function(said)
    for _, text in ipairs(texts) do
      if said:find(text, 1, true) then return false end
    end
    return true
  end
end

-- Is there a file or a folder of this name, or is there none?
function test.there(path)
  return function() return pandoc.path.exists(path) end
end

function test.absent(path)
  return function() return not pandoc.path.exists(path) end
end

return test
