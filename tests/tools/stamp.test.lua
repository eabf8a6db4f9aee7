#!tests/lua.sh
-- The lists of phases and the stamps that they put into a kernel.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
local tree = test.folder
local stamp = tree .. '/build/tools/stamp'
local lists = 'tools/timeline/stamp/'

local stages = {}
for stage in test.sh('ls ' .. lists):gmatch '(stage[%w_]+)%.phases' do
  table.insert(stages, stage)
end
local wanted = #test.lines(test.must 'tools/source/ladder.sh') - 2
test.ok(#stages == wanted, 'every stage from 2 on has a list',
  #stages .. ' of ' .. wanted)

-- What is put in besides stamps, in the order of the kernel, where roles are
-- functions and where they are not.
local ROLES = [[
mutable stamp_writer *stamps = nullptr;
]] .. ('stamp_writer &stamp = *todo.stamps;\n'):rep(3) .. [[
stamp_writer stamp;
todo.stamps = &stamp;
]]
local function wrapped(code)
  return '#include "tools/timeline/stamp/stamps.cuh"\nnamespace stamped {\n' ..
    code .. '}  // namespace stamped\n'
end

-- The phases of a list, each once, as the bits that the program is told.
local function bits_of(stage)
  local bits, seen = '0', {}
  for line in io.lines(lists .. stage .. '.phases') do
    local phase = line:match '^([%a_]+) +%l+ '
    if phase and test.has('open begin field hand take', phase) then
      phase = nil
    end
    if phase and not seen[phase] then
      bits = bits .. ' | 1u << PHASE_' .. phase
      seen[phase] = true
    end
  end
  return bits
end

-- The code alone, without comments, white space and empty directives.
local function code_of(text)
  test.write(test.scratch .. '/code.cu', text)
  return (test.must('${CXX:-g++} -x c++ -fpreprocessed -dD -E -P -w "$1"',
    test.scratch .. '/code.cu'):gsub('%s', ''))
end

-- The same code with other comments, lines and blanks.
local function rewritten(kernel)
  return (kernel:gsub('[^\n]*', function(line)
    if not line:find '"' then
      line = line:gsub('  //.*', ''):gsub('%(', '( ', 1)
        :gsub('^  ', '      '):gsub(', ', ',  /* a */', 1)
    end
    return (line:gsub('^//> .*',
      '// another line above\n\n%0\n  // and one below'))
  end))
end

for _, stage in ipairs(stages) do
  local kernel = stage .. '/kernel.cu'
  local stamped = test.must(stamp .. ' ' .. stage)
  local diff = test.sh(stamp .. ' $1 | diff $1/kernel.cu -', stage)
  local others, stamps, bits = '', 0, nil
  for line in diff:gmatch '\n> *([^\n]*)' do
    if line:find '^stamp%(PHASE_[%a_]+%);$' then
      stamps = stamps + 1
    elseif line:find 'stamped_phases' then
      bits = line:match '= (.*);$'
    else
      others = others .. line .. '\n'
    end
  end
  test.ok((others == wrapped 'stamp_writer stamp;\n' or
    others == wrapped(ROLES)) and stamps >= 8 and not diff:find '\n<',
    stage .. ': only stamps are added', diff)
  test.ok(bits == bits_of(stage), '  and the program knows their phases', bits)

  local text = test.read(kernel)
  test.folder = test.scratch
  test.must('mkdir -p "$1" tools && cp -R "$2" tools', stage,
    tree .. '/tools/timeline')
  test.write(kernel, rewritten(text))
  local again = test.sh(stamp .. ' ' .. stage)
  test.ok(again ~= stamped and code_of(again) == code_of(stamped),
    stage .. ': other comments, lines and blanks move no stamp', again)
  test.folder = tree
end

local list = lists .. 'stage2_wmma_pv.phases'
local kernel = 'stage2_wmma_pv/kernel.cu'
local fitting, text = test.read(list), test.read(kernel)
test.folder = test.scratch
-- The list does not fit: name, what is said of it, the file, its text, another.
for _, case in ipairs {
  {'a region that the kernel no longer has', "'wait_barrier before scores: " ..
    "__syncthreads': stage2_wmma_pv/kernel.cu has no region 'scores'.",
    kernel, '//> scores\n', '//> marks\n', '//< scores\n', '//< marks\n'},
  {'one that is not closed', 'opens region scores, which is never closed.',
    kernel, '//< scores\n', ''},
  {'one that is there twice', 'opens region load-q a second time.',
    kernel, '//> load-q\n', '//> load-q\n//< load-q\n//> load-q\n'},
  {'code that fits nowhere', "There is no 'sums factors' in region " ..
    'p-times-v of stage2_wmma_pv/kernel.cu.',
    list, ': sums factor', ': sums factors'},
  {'code that fits twice', "'__syncthreads' is in 2 statements of region " ..
    "store-output of stage2_wmma_pv/kernel.cu: say which, as in '1st " ..
    "__syncthreads'.", list, '2nd __syncthreads', '__syncthreads'},
  {'a third of two', "There is no 3rd '__syncthreads' in region " ..
    'store-output of stage2_wmma_pv/kernel.cu, only 2.',
    list, '2nd __syncthreads', '3rd __syncthreads'},
  {'a rule that is none', "'softmax around scores': It is not PHASE " ..
    'before|after PLACE.',
    list, 'open ', 'softmax around scores\nopen '},
  {'a list without a beginning', "one 'open' and one 'begin'",
    list, 'begin        before who-am-i\n', ''},
} do
  test.write(kernel, text)
  test.write(list, fitting)
  for i = 4, #case, 2 do test.edit(case[3], case[i], case[i + 1]) end
  local said, code = test.sh(stamp .. ' stage2_wmma_pv >/dev/null')
  local _, sentences = said:gsub('timeline: [%w_/]*%.phases: ', '')
  test.ok(code ~= 0 and test.has(said, case[2]) and sentences == 1, case[1],
    said)
end
test.folder = tree
test.ends('a stage without a list', 2, 'has no list',
  stamp .. ' stage1_cp_async')
test.finish()
