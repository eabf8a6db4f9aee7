#!tests/lua.sh
-- What doctor.sh says on machines of several kinds, all of them fake.
local test = dofile 'tests/setup/machine.lua'
local run, matches, silent_on = test.run, test.matches, test.silent_on
local doctor, brief = 'tools/doctor/doctor.sh', 'tools/doctor/doctor.sh --brief'
local bin, deps = test.environment.PATH, test.folder .. '/.deps'
local new = test.scratch .. '/cuda-13.0'
local pins = test.read 'tools/setup/pins.conf'

test.fake_packages()
test.fake('dpkg-query', 'exit 1\n')
test.fake('nvdisasm', '')
test.fake_toolkit(new, '13.0')
test.environment.CUDA_HOME = new
local browser = ''
for name, version in pins:gmatch '\npip browser (%S+) (%S+)' do
  browser = browser .. name .. '==' .. version .. '\n'
end
local pandoc = deps .. '/pypandoc_binary-' ..
  pins:match '\nwheel pandoc %S+ (%S+)'
test.must('mkdir -p "$1/browser" "$2/pypandoc/files"', deps, pandoc)
test.write(deps .. '/browser/stamp', browser)
test.script(pandoc .. '/pypandoc/files/pandoc', 'echo pandoc 99.1\n')

local function narrow(said)
  for _, line in ipairs(test.lines(said)) do
    if #line > 80 then return false end
  end
  return true
end
local function few_lines(said) return #test.lines(said) <= 4 end
local function can_do(text)
  return function(said)
    return test.lines(said)[1] == 'This machine can do: ' .. text .. '.'
  end
end
local function gpu(name, capability, driver)
  test.fake('nvidia-smi', string.format("echo '%s, %s, %s'\n", name, capability,
    driver))
end
local function with_toolkit(version)
  local folder = test.scratch .. '/cuda-' .. version
  test.fake_toolkit(folder, version)
  return 'CUDA_HOME=' .. folder .. ' ' .. doctor
end

run(doctor, 'all but a GPU: exit 0', 0,
  'all but a GPU: what it can do, first', can_do(
    'gates, counters, races; machine code; the book; no timings'),
  'all but a GPU: says so', 'MISSING NVIDIA GPU',
  'says the compiler', 'here nvcc 13.0',
  'at most 80 columns', narrow,
  'Playwright', matches 'here +Playwright +%d',
  'pandoc: its version', 'here pandoc 99.1')
run(brief, 'brief: four lines at most', few_lines,
  'brief: at most 80 columns', narrow,
  'brief: nothing of setup missing', silent_on 'Missing')

test.no_program 'mpicc'
run(doctor, 'no MPI: exit 0', 0,
  'no MPI: what it is for', 'MISSING libopenmpi-dev for make stage18: programs')
run(brief, 'brief: MPI is not missed, unasked', silent_on 'Missing')
test.fake('mpicc', '')

test.no_program 'nvdisasm'
run(doctor, 'no nvdisasm: what it is for', 'MISSING nvdisasm for what the chap')
test.fake('nvdisasm', '')
test.write(deps .. '/browser/stamp', 'playwright==0\n')
run(doctor,
  'another Playwright: what it is for', 'MISSING Playwright for the b')

local no_book = can_do 'gates, counters, races; machine code; no timings'
os.rename(pandoc, pandoc .. '.away')
run(doctor, 'no pandoc: exit 0', 0, 'no pandoc: no book', no_book,
  'no pandoc: what it is for', "MISSING pandoc for the book's pages")
run(brief, 'brief: no pandoc', 'Missing: pandoc')
os.rename(pandoc .. '.away', pandoc)
test.no_program 'qpdf'
run(doctor, 'no qpdf: exit 0', 0, 'no qpdf: no book', no_book,
  'no qpdf: what it is for', "MISSING qpdf for the book's PDF")
run(brief, 'brief: no qpdf', 'Missing: qpdf')
test.fake('qpdf', 'echo 999.1.2\n')
test.no_program 'unifdef'
run(doctor, 'no unifdef: exit 0', 0, 'no unifdef: no book', no_book,
  'no unifdef: what it is for', 'MISSING unifdef for make diff-stageN; listi')
test.fake('unifdef', 'echo 999.1.2\n')

test.fake('qpdf', 'echo qpdf 2.9.2.1\n')
run(doctor, 'an old qpdf: says so', 'TOO OLD qpdf 2.9.2.1; 11 or newer for',
  'an old qpdf: exit 0', 0)
test.fake('gcc', 'echo gcc 9.4.0\n')
run(doctor, 'an old gcc: exit 3', 3,
  'an old gcc: no gates', can_do 'machine code; no timings')
test.fake('gcc', 'echo 99.1.2\n')

gpu('NVIDIA H200', '9.0', '580.95.05')
run(doctor, 'a good GPU', 'here NVIDIA H200 compute capability 9.0',
  'a good GPU: no complaint', silent_on('older', 'under'),
  'a good GPU: timings', can_do
    'gates, counters, races; machine code; timings')
test.no_program 'git'
run(doctor, 'no git: exit 0, as the executor does without', 0,
  'no git: says so', 'MISSING git')
test.fake('git', 'echo 99.1.2\n')
run(brief, 'brief: a good GPU', 'NVIDIA H200')
gpu('NVIDIA B200', '10.0', '580.95.05')
run(doctor, 'capability 10.0 is not under 8.0', silent_on 'under 8.0')
gpu('Tesla V100', '7.0', '580.95.05')
run(doctor, 'an old GPU', 'compute capability is under 8.0')
gpu('NVIDIA L4', '8.9', '550.54.15')
run(doctor, 'an old driver', 'Driver 550.54.15 is older than CUDA 13.0')
run(brief, 'brief: an old driver gives no timings', 'no timings')
run(with_toolkit '12.8', 'CUDA 12 takes that driver',
  silent_on 'is older than CUDA')
test.fake('nvidia-smi', 'echo "Failed to initialize NVML"; exit 9\n')
run(doctor, 'nvidia-smi that fails: its words', 'Failed to initialize NVML',
  'nvidia-smi that fails: exit 0', 0)

local proc = test.scratch .. '/proc'
test.environment.DOCTOR_PROC = proc
test.fake('ncu', '')
run(doctor, 'ncu, a driver that keeps nothing', silent_on 'may not read')
-- The rights of a user whose driver keeps the counters for administrators.
test.must('mkdir -p "$1/self" "$1/driver/nvidia"', proc)
test.write(proc .. '/driver/nvidia/params', 'RmProfilingAdminOnly: 1\n')
for _, case in ipairs {
  {'a user without rights', '0000000000000000', 'may not read'},
  {'an administrator', '0000000000200000', silent_on 'may not read'},
  {'root in a container', '00000000a80425fb', 'may not read'},
} do
  test.write(proc .. '/self/status', 'CapEff:\t' .. case[2] .. '\n')
  run(doctor, 'ncu, ' .. case[1], case[3])
end
test.script(new .. '/bin/compute-sanitizer', '')
run(doctor, 'a tool off the PATH: says where',
  matches 'It lies in .*cuda%-13.0/bin: put%s+that')

run(with_toolkit '11.8', 'nvcc 11.8 and no headers: exit 3', 3,
  'nvcc 11.8: says its version', 'CUDA 11.8; 12.8 or newer is',
  'nvcc 11.8: setup helps', "'make setup' installs what is missing")

test.no_program 'g++'
run(doctor, 'no g++: exit 3', 3,
  'no g++: what it is for', 'MISSING g++ for kernels on the CPU')
run(brief, 'brief: exit 0 even then', 0,
  'brief: four lines even then', few_lines,
  'brief: no executor', 'Here: nvcc 13.0; no usable GPU')
test.environment.CUDA_HOME = false
for name in ('gcc make git node clang'):gmatch '%S+' do
  test.no_program(name)
end
run(doctor, 'nothing here: says so first', can_do 'nothing yet; no timings')
run(brief, 'brief: nothing here', 'nothing yet',
  'brief: nothing here: how many', matches 'and %d+ more',
  'brief: nothing here: four lines, 80 columns', few_lines)
run(doctor .. ' --wrong', 'an unknown option: exit 2', 2)
test.finish()
