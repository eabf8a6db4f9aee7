#!tests/lua.sh
-- The elite search on a stage whose best is known, with stand-ins for make, the
-- programs and a clock that slows down from run to run; and on the executor.
-- takes: 60 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
local tuned

-- How many trials of the result ended in this state.
local function trials(state)
  local count = 0
  for _, trial in ipairs(tuned.trials) do
    if trial.state == state then count = count + 1 end
  end
  return count
end

-- The executor: real programs, nothing timed.
local said = test.ends('make stage1 tune on the executor', 0, '',
  'make stage1 tune TARGET=cpu SHAPES=small SEEDS=0 JSON=out')
local result = 'out/stage1_cp_async.tune.json'
tuned = test.json(result).tune
test.ok(test.has(said, 'nothing is ranked') and tuned.ranked == false and
  not test.has(test.read(result), '_us'), 'it ranks nothing, and says so', said)
test.ok(trials 'green' == 6 and trials 'ruled out' == 2,
  'each combination went through the gates', test.read(result))
test.ends('a toggle beside tune is an error', 2, 'searches the toggles itself',
  'make stage1 tune TARGET=cpu USE_CP_ASYNC=0')
local _, code = test.sh 'tools/setup/cuda-home.sh'
if code ~= 0 then
  test.skip('the search', 'no nvcc 12.8 or newer; make setup')
  test.finish()
end

-- The same with a clock, which only stand-ins have here.
test.must 'mkdir -p stage99_fake bin toolkit/bin'
local kernel = ''
for _, toggle in ipairs {'A: 0 1', 'B: 0 1', 'E: 0 1 2', 'TILE: 32 64 (detail)',
    'C: 0 1 (detail)', 'DEBUG_PRINT: 0 1'} do
  local name, first = toggle:match '(%S+): (%d+)'
  kernel = kernel .. string.format([[
// toggle %s
#ifndef %s
#define %s %s
#endif
]], toggle, name, name, first)
end
test.write('stage99_fake/kernel.cu', kernel ..
  '#if A && TILE == 64\n#error "A=1 needs TILE=32"\n#endif\n')
local settings = test.json 'common/harness/settings.json'
settings.budgets.stage99_fake = {registers = 128, shared_bytes = 1}
test.write('common/harness/settings.json', pandoc.json.encode(settings))
test.write('build/toolchain', 'fake\n')
test.must "echo 'int launch(void) { return 1; }' | gcc -c -x c -o bin/host.o -"

-- B alone is wrong; with A it changes nothing; E=2 takes too many registers.
test.script('bin/make', [[
echo "$*" >>made
for file in "$@"; do
  case $file in build/*) mkdir -p "${file%/*}" ;; *) continue ;; esac
  arm=${file%/*} arm=${arm##*/}
  case $file in
  *.cubin)
    registers=64
    case $arm in *E-2*) registers=200 ;; esac
    echo "ptxas info : Used $registers registers" >"$file.ptxas"
    case $arm in A-1.B-1*) arm=$(echo "$arm" | sed 's/\.B-1//') ;; esac
    echo "code of $arm" >"$file" ;;
  */program) cp bin/program "$file" ;;
  */kernel.o) cp bin/host.o "$file" ;;
  *) : >"$file" ;;
  esac
done
]])
test.script('bin/program', [[
verb=$1 arm=$(dirname "$0") arm=${arm##*/}
echo "$verb $arm" >>calls
if [ "$verb" = check ]; then
  case $arm in # it fails
  B-1*) exit 1 ;; esac
  exit 0
fi
[ "$arm" != "${STOP_AT:-}" ] || exit 130
arms=$arm
while [ $# -gt 0 ]; do
  case $1 in
  --json) json=$2 ;;
  --against) other=$(dirname "$2"); arms="$arms ${other##*/}" ;;
  esac
  shift
done
echo "$arms" >>timed
runs=$(grep -c . timed)
for arm in $arms; do
  time=100
  case .$arm. in *.A-1.*E-1.*) time=70 ;; *.A-1.*) time=90 ;;
  *.E-1.*) time=95 ;; esac
  case .$arm. in *.C-1.*) time=$((time + 3)) ;; esac
  case .$arm. in *.TILE-64.*) time=$((time - 20)) ;; esac
  name=stage99_fake.$arm
  [ "$arm" != default ] || name=stage99_fake
  jq -n "{build_meta: {schema_version: 1}, perf: {mission: {graph: {
    p50_us: $((time * (10 + runs) / 10)), noise_us: 5}}}}" >"$json/$name.json"
done
]])
test.environment.ARCH, test.environment.CC = '90a', 'gcc'
local tune = 'MAKE=$PWD/bin/make build/tools/tune gpu stage99_fake out'
result = 'out/stage99_fake.tune.json'
said, code = test.sh('STOP_AT=A-1 ' .. tune)
test.ok(code == 3 and test.has(said, 'timing A-1 failed') and
  not test.read(result), 'a search that is interrupted leaves no result', said)
said, code = test.sh(tune)
test.ok(code == 0 and said:find 'going on[^\n]*: 6 trials',
  'it goes on where it was', said)
local calls, made = test.read 'calls', test.read 'made'
local timed = test.lines(test.read 'timed')
test.ok(select(2, ('\n' .. calls):gsub('\ncheck default', '')) == 1,
  'what was done is not done again', calls)
local text = test.read(result)
tuned = test.json(result).tune
test.ok(tuned.keep == 3, 'the result is JSON', text)
local elite = {}
for i, arm in ipairs(tuned.elite) do elite[i] = arm.arm end
elite = table.concat(elite, ' ')
test.ok(elite == 'A-1.E-1 A-1.E-1.C-1 E-1.TILE-64 default',
  'the elite, best first, though the clock slows down', elite)
test.ok(tuned.elite[1].saved_pct == 30,
  'with what it saves against the default, from one run')
test.ok(timed[#timed] == elite, 'that run times all of them in turn',
  timed[#timed])
local wrong, alone
for i, arms in ipairs(timed) do
  wrong = wrong or (' ' .. arms):gsub(' A%-1%.', ' '):find ' B%-1'
  alone = alone or i > 1 and not arms:find ' '
end
test.ok(not wrong and trials 'gates failed' == 2,
  'what fails its gates is not timed', table.concat(timed, '\n'))
test.ok(not test.has(calls, 'E-2') and trials 'over budget' == 4,
  'what is over its budget is not even run', calls)
local same
for _, trial in ipairs(tuned.trials) do
  if trial.arm == 'A-1.B-1' then same = trial end
end
test.ok(trials 'same code' == 2 and same.state == 'same code' and
  same.against == 'A-1',
  'the same machine code is one kernel, and timed once', text)
test.ok(trials 'ruled out' == 4 and not made:find 'A%-1[^\n]*TILE%-64',
  'what the kernel rules out is not built', made)
test.ok(not text:find 'DEBUG_PRINT' and not text:find '"arm": "TILE%-' and
  not text:find '"arm": "C%-',
  'details are tried on the best only, and prints not at all', text)
test.ok(not alone, 'every candidate is timed in turn with the best so far',
  table.concat(timed, '\n'))
_, code = test.sh 'test -e build/tune/stage99_fake.gpu'
test.ok(code == 1, 'the next search is a new one')
test.edit('stage99_fake/kernel.cu', '#define A 0', '#define A 1')
test.edit('bin/program', 'B-1*) exit 1', 'default*) exit 1')
test.ends('a stage that fails its own gates is not searched', 1,
  'by default does not pass', tune)
test.finish()
