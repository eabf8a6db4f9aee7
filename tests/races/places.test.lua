#!tests/lua.sh
-- The places of planted.list and removed.list: where a kernel is edited
-- harmlessly they still fit, a list that does not says so in one sentence, and
-- what `race` said of another line is not taken for the mistake.
local test = dofile 'tests/lib.lua'
local list, folder = 'tests/races/planted.list', test.scratch .. '/'
local plant = test.folder .. '/build/tests/plant '

-- ---- other comments, lines and blanks ----

local function edited(line)
  if not line:find '"' then
    line = line:gsub('  //.*', ''):gsub('%(', '( '):gsub('^  ', '      ')
      :gsub(', ', ',  /* __syncthreads(); */', 1)
  end
  return (line:gsub('^//> .*',
    '// __syncwarp(); above\n\n%0\n  // "wait(0); below'))
end
test.must('mkdir "$1edited"; cp -R tests "$1edited"', folder)
for _, stage in ipairs(test.lines(test.must 'tools/source/ladder.sh')) do
  local kernel = stage .. '/kernel.cu'
  test.must('mkdir "$1edited/$2"', folder, stage)
  test.write(folder .. 'edited/' .. kernel,
    (test.read(kernel):gsub('[^\n]+', edited)))
  test.ends(stage .. ': other comments, lines and blanks rename no barrier', 0,
    '', plant .. [[sites "$2" >"$1sites" && [ -s "$1sites" ] &&
]] .. plant .. [[sites "$1edited/$2" | diff "$1sites" -]], folder, kernel)
end

local names = test.lines(test.must(plant .. 'list ' .. list))
local twice = test.must(plant .. 'list ' .. list .. ' | sort | uniq -d')
test.ok(#names >= 37 and twice == '',
  'the list has its mistakes, each by a name of its own', twice)
for _, line in ipairs(names) do
  local stage, name = line:match '(.-)|(.*)'
  -- The code alone, without comments and white space.
  test.ends(stage .. " takes '" .. name ..
    "' with other comments, lines and blanks", 0, '', [[
code_of() { ${CXX:-g++} -x c++ -fpreprocessed -dD -E -P -w $1 | tr -d ' \t\n'; }
kernel() { ]] .. plant .. 'kernel ' .. list .. [[ "$stage" "$name"; }
folder=$1 stage=$2 name=$3
kernel >"${folder}asis.cu" && ! cmp -s "${folder}asis.cu" "$stage/kernel.cu" &&
  cd "${folder}edited" && kernel >edited.cu &&
  [ "$(code_of ../asis.cu)" = "$(code_of edited.cu)" ] ]], folder, stage, name)
end

-- ---- lists that don't fit ----

local stage, name = 'stage2_wmma_pv', 'no barrier after P'
local in_one = test.read(list)
local function kernel_of(path)
  return test.sh(plant .. 'kernel "$@"', path, stage, name)
end
-- Each: a name, what is said of the entry, and what is edited into what.
local place = 'p-times-v: __syncthreads'
for _, case in ipairs {
  {'a region that is missing', "%s: %s/kernel.cu has no region 'p-time-v'.",
    'p-times-v: __sync', 'p-time-v: __sync'},
  {'a place that fits nowhere', "%s: There is no '__syncgrid' in region " ..
    'p-times-v of %s/kernel.cu.', place, 'p-times-v: __syncgrid'},
  {'a place that fits twice', "%s: '__syncthreads' is in 2 statements of " ..
    "region store-output of %s/kernel.cu: say which, as in '1st",
    place, 'store-output: __syncthreads'},
  {'a third of two', "%s: There is no 3rd '__syncthreads' in region " ..
    'store-output of %s/kernel.cu, only 2.',
    place, 'store-output: 3rd __syncthreads'},
  {'an edit that is none', "%s: 'delete' is no edit: there are remove",
    place .. ' | remove', place .. ' | delete'},
  {'code to change that is not there', "%s: '2' must be in the statement " ..
    'once, and is there 0 times.', place .. ' | remove', place .. ' | 2 => 3'},
  {'a line with a field too few', ' has 6 fields, not 7.', '| remove ', ''},
  {'a mistake that it does not have', stage .. " has no mistake '" .. name ..
    "'.", 'after P ', 'after Q '},
} do
  test.write(folder .. 'list', in_one)
  test.edit(folder .. 'list', case[3], case[4])
  local text = case[2]:format("'" .. name .. "' of " .. stage, stage)
  local said, code = kernel_of(folder .. 'list')
  test.ok(code == 1 and #test.lines(said) == 1 and
    test.has(said, {text, folder .. 'list'}), case[1], said)
end
test.ends('a list that is not there', 1, 'Cannot read ' .. folder .. 'none: ',
  plant .. 'kernel "$@"', folder .. 'none', stage, name)
test.ends('a verb that it does not know is a mistake in the command', 2,
  'usage: plant list LIST', plant .. 'kernels ' .. list)

-- ---- what the book reads ----

local results = test.read('chapters/book.yaml'):match '\nresults: ([^\n]*)'
test.ends('gates writes what is recorded in the form of the record', 0, '', [[
jq -S . "$2" >"$1wanted" && [ -s "$1wanted" ] &&
  jq -r '.planted[] | "\(.stage)|\(.mistake)|\(.gates)"' "$2" |
  ]] .. plant .. 'gates | jq -S . | diff "$1wanted" -', folder,
  results .. '/planted.json')
test.ends('and no line without a verdict', 1,
  'Every line must be STAGE|NAME|VERDICT.\n',
  'echo "$1|$2" | ' .. plant .. 'gates', stage, name)

-- ---- what `race` must say ----

stage, name = 'stage1_cp_async', 'the last tile not waited for'
local shown = test.read 'chapters/output/stage1-planted-wait.txt'
test.write(folder .. 'kernel.cu', (kernel_of(list)))
-- The mistake is found, or not, in what was shown with other patterns.
local function found(what, wanted, ...)
  local text, times = shown, 1
  for _, change in ipairs {...} do
    text, times = text:gsub(change[1], change[2])
    assert(times > 0, change[1])
  end
  test.write(folder .. 'said', text)
  local why, got = test.sh(plant .. 'found ' .. list .. ' "$@"', stage, name,
    folder .. 'kernel.cu', folder .. 'said')
  test.ok(got == wanted, what, why)
end
found('the mistake is found in what chapter 3 shows', 0)
local function calls(line, caller)
  return shown:find('kernel%.cu:' .. line .. ',[^\n]*\n[^\n]*\n' ..
    ' *called in line ' .. caller .. ':')
end
test.ok(calls(55, 249) and calls(113, 222), '  in what these lines call')
found('here and there may change places', 0, {'line 249:', 'line 0:'},
  {'line 222:', 'line 249:'}, {'line 0:', 'line 222:'})
found('the lines may be those of the accesses themselves', 0,
  {'kernel%.cu:55,', 'kernel.cu:249,'}, {'line 249:', 'line 0:'})
local kind = '%f[^\n\0]read before the wait'
for _, case in ipairs {
  {'another kind of finding', kind, 'race'},
  {'a longer kind of finding', kind, '%0 again'},
  {'another line here', 'line 249:', 'line 248:'},
  {'another line there', 'line 222:', 'line 224:'},
  {'another file', stage .. '.kernel%.cu', 'stage2_wmma_pv/kernel.cu'},
  {'one of the places only', '[^\n]* there [^\n]*\n', ''},
  {'the two places in two findings', '  there [^\n]*kernel%.cu:113',
    'read before the wait: again\n%0'},
} do
  found(case[1], 1, {case[2], case[3]})
end
test.finish()
