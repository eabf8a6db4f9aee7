#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- Builds mistakes of one stage, one after the other, and asks the executor:
--   try.lua STAGE FOLDER KEPT LIST
-- LIST has lines NUMBER|ARM|KNOWN|KEY; KNOWN is "known" where one that
-- is not found soon is known to be equivalent. Adds lines KEY|VERDICT|WORDS to
-- KEPT:
--   build      does not compile
--   race       `race` fails, and names these kinds of findings
--   check      `check` fails
--   time       it runs on where the kernel as it is would have ended
--   same       the same machine code as without it, of g++ or of nvcc
--   known      not found soon, and known to be equivalent
--   survived   silent
-- The commands come from the environment, as tools/mutants/mutants.mk has them.
local read = dofile('tools/labs/files.lua').read
local folder_of = dofile 'tools/source/folder.lua'
local stage, folder = arg[1], arg[2]
local kept = assert(io.open(arg[3], 'a'))
local log = folder .. '/log'

local function need(name)
  return assert(os.getenv(name), name .. ' is not set: make mutants sets it')
end
local instrumented, plain = need 'COMPILE_INSTRUMENTED', need 'COMPILE_PLAIN'
local link, device = need 'LINK', os.getenv 'COMPILE_DEVICE' or ''

-- The exit code, 128 and more where a signal ended it. Seconds are of the
-- processor, so that a machine which is busy decides nothing.
local function run(seconds, command)
  local _, how, code = os.execute(string.format(
    'ulimit -t %d; ulimit -c 0; exec >%s 2>&1 </dev/null; %s',
    seconds, log, command))
  return how == 'signal' and 128 + code or code
end

local function defines_of(arm)
  if arm == 'default' then return '' end
  local pipe = io.popen('tools/toggles/toggles.sh defines ' .. arm)
  local words = pipe:read 'a'
  pipe:close()
  return words:gsub('%s+$', '')
end

local function compile(command, arm, output)
  return run(300, string.format('%s %s -c -o %s/%s %s/kernel.cu', command,
    defines_of(arm), folder, output, folder)) == 0
end

-- The kinds of findings that race has named, each once.
local function findings()
  local kinds, seen = {}, {}
  for line in (read(log) or ''):gmatch '[^\n]+' do
    local kind = line:match '^([a-z][a-z -]*): '
    if kind and not seen[kind] and not line:match ': %d+ findings?' then
      kinds[#kinds + 1], seen[kind] = kind, true
    end
  end
  return table.concat(kinds, ', ')
end

-- What a program says in so many seconds: a verdict, or nothing if it passes.
local function ask(target, verb, seconds, options)
  local code = run(seconds, string.format('%s/%s %s %s', folder, target, verb,
    options))
  if code == 0 then return end
  if code == 3 or code == 127 then -- nothing was asked, or what was is lost:
    local said = read(log)
    local lost = said:match 'brought to the device: ([^.]*)'
    assert(lost and lost ~= 'out of memory', said)
    return verb, lost
  end
  if code == 128 + 24 or code == 128 + 9 then return 'time', verb end
  if verb == 'race' and code == 1 then return 'race', findings() end
  return verb, code ~= 1 and 'exit code ' .. code or
    read(log):match 'The kernel failed: ([^.]*)' or ''
end

local function build(target, command, arm)
  if not compile(command, arm, target .. '.o') then return false end
  local object = string.format('build/%s/%s/%s/', target, stage, arm)
  return run(300, string.format('%s -o %s/%s %s/%s.o %sobject.o %sdriver.o %s',
    link, folder, target, folder, target, object, object,
    need 'LINK_WITH')) == 0
end

local function put_kernel(text)
  local file = assert(io.open(folder .. '/kernel.cu', 'wb'))
  assert(file:write(text))
  assert(file:close())
end

-- The machine code of the kernel as it is, once an arm. Of some kernels nvcc
-- makes one of two, now this, now that: only "the same" says something.
local originals = {}
local function is_same(kind, command, arm)
  local file = kind .. '.o'
  local key = kind .. arm
  local mutated = read(folder .. '/kernel.cu')
  if not originals[key] then
    put_kernel(read(folder_of(stage) .. '/kernel.cu'))
    assert(compile(command, arm, file), 'the kernel itself does not compile')
    originals[key] = read(folder .. '/' .. file)
    put_kernel(mutated)
  end
  return compile(command, arm, file) and
    read(folder .. '/' .. file) == originals[key]
end

-- Cheap questions come first; the first answer that is not "fine" counts.
local function judge(arm, known)
  if not build('instrumented', instrumented, arm) then
    return 'build', ''
  end
  local function each(questions)
    for _, q in ipairs(questions) do
      local verdict, words = ask(table.unpack(q))
      if verdict then return verdict, words end
    end
  end
  local verdict, words = each {
    {'instrumented', 'race', 20, '--shape odd'},
    {'instrumented', 'check', 20, '--shape odd --seeds 0 -d normal'}}
  if verdict then return verdict, words end
  if known then return 'known', '' end
  if is_same('cpu', plain .. ' -g0', arm) then return 'same', 'g++' end
  if device ~= '' and is_same('device', device, arm) then
    return 'same', 'nvcc'
  end
  if not build('cpu', plain, arm) then return 'build', '' end
  verdict, words = each {{'cpu', 'check', 50, '--brief --seeds 0'},
    {'cpu', 'check', 400, '-d normal'},
    {'cpu', 'check', 400, '-d large-logits'},
    {'cpu', 'check', 800, '--seeds 0'},
    {'instrumented', 'race', 200, ''}}
  if verdict then return verdict, words end
  return 'survived', ''
end

assert(os.execute('mkdir -p ' .. folder))
for line in io.lines(arg[4]) do
  local number, arm, known, key =
    line:match '^(%d+)|([^|]*)|([^|]*)|(%x+)$'
  assert(os.execute(string.format('build/tools/mutate make %s %s >%s/kernel.cu',
    stage, number, folder)))
  local verdict, words = judge(arm, known == 'known')
  kept:write(key, '|', verdict, '|', words, '\n')
  kept:flush()
end
