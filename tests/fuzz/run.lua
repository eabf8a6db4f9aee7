-- Runs the fuzzers that are built in the test's folder, side by side, each for
-- so many seconds: dofile 'tests/fuzz/run.lua'(test, SECONDS)
local NAMES = {'options', 'shape', 'settings', 'results', 'library'}
-- Beside those in corpus/.
local MORE = {settings = '-seed_inputs=common/harness/settings.json',
  results = '-dict=tests/fuzz/results.dict'}

local PROBE = 'echo "int LLVMFuzzerTestOneInput(void);' ..
  'int LLVMFuzzerTestOneInput(void) { return 0; }" | ' ..
  'clang -fsanitize=fuzzer,address,undefined -x c - -o "$1"'

-- What it says goes to SCRATCH/NAME.log, new inputs to SCRATCH/NAME; an input
-- that fails is SCRATCH/NAME-...
local COMMAND = [[{
  mkdir "$1/NAME"
  build/tests/fuzz/NAME_fuzz -max_total_time=SECONDS -timeout=20 \
    -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$1/NAME-" \
    MORE "$1/NAME" tests/fuzz/corpus/NAME
  echo "exit code $?"
} >"$1/NAME.log" 2>&1 &
]]

local function judge(test, name)
  local said = test.read(test.scratch .. '/' .. name .. '.log') or ''
  local found = test.sh('cd "$1" && for f in "$2"-*; do ' ..
    '[ ! -e "$f" ] || base64 "$f"; done', test.scratch, name)
  test.ok(said:find '\nexit code 0\n', 'the fuzzer of ' .. name ..
    ' finds nothing', said .. '\nthe input, in base64:\n' .. found)
  local units = tonumber(said:match 'executed_units: *(%d+)')
  test.ok(units and units > 100, '  in more than a hundred inputs', said)
end

return function(test, seconds)
  local can_fuzz = select(2, test.sh(PROBE, test.scratch .. '/probe')) == 0
  local all = {}
  for _, name in ipairs(NAMES) do
    local values = {NAME = name, SECONDS = seconds, MORE = MORE[name] or ''}
    all[#all + 1] = COMMAND:gsub('%u%u%u%u+', values)
  end
  if can_fuzz then
    test.must(table.concat(all) .. 'wait', test.scratch)
  end
  for _, name in ipairs(NAMES) do
    if can_fuzz then
      judge(test, name)
    else
      test.skip('the fuzzer of ' .. name,
        'clang with libFuzzer is not installed; make setup')
    end
  end
end
