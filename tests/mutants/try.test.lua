#!tests/lua.sh
-- What becomes of a mistake, with compilers and kernels that only act so: each
-- verdict, the questions that lead to it, and the classes of equivalent.list.
local test = dofile 'tests/lib.lua'
local root = test.folder
test.folder = test.scratch
test.must('mkdir -p build/tools build/cpu/stage99_x/default stage99_x \z
  build/instrumented/stage99_x/default')
test.write('stage99_x/kernel.cu', 'right\n')
-- The mistake's number is the kernel's only word.
test.script('build/tools/mutate', 'echo "$3"')
-- Compiles the last file into the one before it, where that is possible.
test.script('compile', [[
for word; do output=$source source=$word; done
[ "$(cat "$source")" != 1 ] || exit 1
[ "$(cat "$source")" != 2 ] || echo right >"$source.same"
cat "$source.same" 2>/dev/null >"$output" || cp "$source" "$output"
rm -f "$source.same"
]])
test.script('device', [[
for word; do output=$source source=$word; done
[ "$(cat "$source")" = 3 ] && echo right >"$output" || cp "$source" "$output"
]])
-- The program is the object's word and acts accordingly.
test.script('link', [[cat >"$2" <<TEXT
#!/bin/sh
echo "$(cat "$3") \$*" >>asked
case "$(cat "$3") \$*" in
"4 race --shape odd") echo "small: 2 findings, backward"
  echo "race: a read"
  echo "no proxy fence: a"; echo "race: b"; exit 1 ;;
"5 race --shape odd") kill -XCPU \$\$ ;;
"6 race") echo "deadlock: all wait"; exit 1 ;;
"7 check --shape odd"*) exit 1 ;;
"8 check --brief"*) exit 1 ;;
"9 check -d normal") kill -SEGV \$\$ ;;
"11 check --brief"*) echo "x: The inputs could not be brought to the device:\
 an illegal instruction."; exit 3 ;;
"12 race"*) echo "no memory"; exit 3 ;;
"13 check --seeds 0") exit 1 ;;
"14 check --brief"*) echo "  FAILED x: The kernel failed: it trapped."
  exit 1 ;;
esac
TEXT
chmod +x "$2"]])
for name, value in pairs {COMPILE_INSTRUMENTED = './compile',
    COMPILE_PLAIN = './compile', COMPILE_DEVICE = './device', LINK = './link',
    LINK_WITH = '-lx'} do
  test.environment[name] = value
end
local try = root .. '/tools/mutants/judge/try.lua'
test.must('mkdir -p tools && ln -s "$1/tools/setup" "$1/tools/mutants" \z
  tools && ln -s "$1/.deps" .deps', root)

-- The verdict on a mistake, and what its programs were asked.
local function verdict(number, known)
  test.must 'rm -f kept asked'
  test.write('list', number .. '|default|' .. (known or '') .. '|abc\n')
  local said, code = test.sh('"$1" stage99_x build/job kept list', try)
  return code == 0 and (test.read 'kept' or ''):match '^abc|(.*)\n$' or said,
    test.read 'asked' or ''
end

for _, case in ipairs {
  {1, 'build|', 'does not compile'},
  {2, 'same|g++', 'the same machine code of g++'},
  {3, 'same|nvcc', 'the same machine code of nvcc'},
  {4, 'race|race, no proxy fence', 'race names each kind once'},
  {5, 'time|race', 'runs on'},
  {6, 'race|deadlock', 'race at another shape'},
  {7, 'check|', 'check at one shape'},
  {8, 'check|', 'check of the brief cases'},
  {9, 'check|exit code 139', 'a crash in check'},
  {10, 'survived|', 'survives'},
  {11, 'check|an illegal instruction', 'a device that check loses'},
  {13, 'check|', 'check with other inputs'},
  {14, 'check|it trapped', 'a kernel that check stops with'},
} do
  local got = verdict(case[1])
  test.ok(got == case[2], case[3] .. ': ' .. case[2], got)
end
local got, asked = verdict(10, 'known')
test.ok(got == 'known|' and asked == '10 race --shape odd\n10 check --shape ' ..
  'odd --seeds 0 -d normal\n', 'known to be equivalent: two quick questions',
  got .. asked)
test.ok(verdict(4, 'known') == 'race|race, no proxy fence',
  '  and what they find counts')
got, asked = verdict(4)
test.ok(asked == '4 race --shape odd\n', 'the first kill is the last question',
  asked)
test.ok(verdict(12):find 'no memory', 'where nothing can be asked, it ends')

-- ---- equivalent.list ----

local equivalent = dofile(root .. '/tools/mutants/judge/equivalent.lua')
local list = test.scratch .. '/equivalent.list'
test.write('equivalent.list', '# c\n\n* | * | wait-doubled | wait | Why.\n' ..
  'stage99_x | load | minus | a - b | By hand.\n')
local entries = equivalent.read(list)
local function why(region, rule, sentence, stage)
  local entry = equivalent.find(entries, {region = region, rule = rule,
    sentence = sentence}, stage)
  return entry and entry.why
end
test.ok(why('x', 'wait-doubled', "'wait();' is there twice.") == 'Why.',
  'a class is of all stages and regions')
test.ok(not why('x', 'wait-up', "'wait();'") and
  not why('x', 'wait-doubled', "'rest();'"), 'and of one rule and code')
test.ok(why('load', 'minus', "'a - b' adds.", 'stage99_x') == 'By hand.',
  'an entry by hand is of a stage')
test.ok(not why('load', 'minus', "'a - b' adds.", 'stage11_x') and
  not why('load', 'minus', "'a - b' adds.") and
  not why('store', 'minus', "'a - b' adds.", 'stage99_x'), 'and of no other')
test.write('equivalent.list', '* | wait-doubled | wait | Why.\n')
local fine, said = pcall(equivalent.read, list)
test.ok(not fine and said:find 'has not five fields', 'a field too few', said)
test.finish()
