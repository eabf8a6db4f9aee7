#!tests/lua.sh
-- What a student's machine says of itself, on machines that are made up. This
-- one: tests/more/class.more.lua.
local test = dofile 'tests/setup/machine.lua'
local root = pandoc.system.get_working_directory()
local bin = test.environment.PATH
local check = 'exec tools/workshop/check.sh mine build/speed 2>errors'
test.must([[cp -R "$1/tools/workshop" tools
for name in nproc timeout mktemp chmod; do
  ln -s "$(PATH=/usr/bin:/bin command -v $name)" "$2/$name"
done]], root, bin)
test.fake_packages()
test.fake_toolkit(test.scratch .. '/cuda', '13.0')
test.environment.CUDA_HOME = test.scratch .. '/cuda'
local pandoc_folder = test.folder .. '/.deps/pypandoc_binary-' ..
  test.read('tools/setup/pins.conf'):match '\nwheel pandoc %S+ (%S+)'
test.must('mkdir -p "$1/pypandoc/files"', pandoc_folder)
test.script(pandoc_folder .. '/pypandoc/files/pandoc', 'echo pandoc 99.1\n')

-- What doctor says is known here: the true one takes a second each time.
local doctor = 'tools/doctor/doctor.sh'
local true_doctor = test.read(doctor)
local function doctor_says(words) test.script(doctor, 'cat <<END\n' .. words ..
  'END\n') end
local ALL = 'executor yes\nlabs yes\nbook yes\nnvcc 13.0\ngpu\nmissing\n'

-- make builds a program that takes so many seconds, one after another.
local function builds(body)
  test.fake('make', "mkdir -p build && echo '  building it'\n" ..
    "cat >build/speed <<'END'\n#!/bin/sh\n" .. body .. "END\n" ..
    'chmod +x build/speed\n')
end
local TIMES = 'cd build && echo x >>runs && ' ..
  'set -- $(grep -c x runs) && echo 0.$((9 - $1 * 2))00\n'

-- The line that is printed, as a table; the exit code, and what else is said.
local function line(name, want_code)
  local said, code = test.sh('rm -rf mine build; ' .. check)
  local fine, value = pcall(pandoc.json.decode, said, false)
  test.ok(fine and code == want_code and #test.lines(said) == 1 and
    test.read 'mine/check.json' == said, name .. ': one line of JSON, exit ' ..
    want_code .. ', and a copy', said .. '\nexit ' .. code)
  return fine and value or {can = {}, missing = {}}
end
local function list(words) return table.concat(words, ' ') end

builds(TIMES)
doctor_says(ALL)
local good = line('a machine without a GPU', 0)
test.ok(good.ready == true and list(good.can) == 'executor labs book nvcc' and
  good.type == 'make labw' and good.why == '', 'it is ready for labs',
  list(good.can))
test.ok(good.seconds == 0.3, 'its time is the best of three', good.seconds)
test.ok(type(good.gpu) ~= 'string' and not list(good.can):find 'gpu',
  'and it has no GPU')

doctor_says((ALL:gsub('gpu\n', [[gpu A "B" \\ <i>]] .. '\n')))
local with_gpu = line('a GPU with an odd name', 0)
test.ok(with_gpu.gpu == [[A "B" \ <i>]] and list(with_gpu.can):find 'gpu',
  'its name as it is', with_gpu.gpu)

doctor_says 'executor\nlabs\nbook yes\nnvcc\ngpu\nmissing g++ CUDA-headers\n'
local bad = line('no compiler', 3)
test.ok(bad.ready == false and list(bad.can) == 'book' and
  list(bad.missing) == 'g++ CUDA-headers' and
  bad.type:find '^make setup' and type(bad.seconds) ~= 'number',
  'it says what is missing, and what to type', list(bad.missing))

-- The true one
test.script(doctor, (true_doctor:gsub('^#!/bin/sh\n', '')))
test.no_program 'unifdef'
test.fake('make', 'echo 999.1.2\n' .. test.read(bin .. '/make'))
bad = line('no unifdef', 3)
test.ok(bad.ready == false and list(bad.can) == 'executor nvcc' and
  bad.why == 'Labs need unifdef.' and bad.type == 'make setup' and
  (' ' .. list(bad.missing) .. ' '):find ' unifdef ',
  'the executor runs, labs do not', list(bad.can) .. bad.why)

doctor_says(ALL)
test.fake('make', 'echo "x.c:1: error: no \\"header\\""; exit 2\n')
bad = line('what does not build', 3)
test.ok(bad.ready == false and
  bad.why:find('x.c:1: error: no "header"', 1, true) and
  not list(bad.can):find 'executor', 'it says why', bad.why)
builds('echo "Signal 11"; exit 1\n')
bad = line('what does not run', 3)
test.ok(bad.ready == false and bad.why:find 'Signal 11', 'it says why', bad.why)

builds(TIMES)
test.must 'rm -rf mine build; echo x >mine'
local said, code = test.sh(check)
test.ok(code == 3 and said:find '^{"workshop_check":1,"ready":true' and
  test.read 'errors' == 'Cannot write mine/check.json: copy the line above ' ..
  'by hand.\n', 'where it cannot be kept, it is still printed', said)
test.finish()
