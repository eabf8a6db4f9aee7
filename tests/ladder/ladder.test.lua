#!tests/lua.sh
-- How many lines of its default arm each stage adds to the stage before: at
-- most 120, or as many as tests/ladder/exceptions.list says.
local test = dofile 'tests/lib.lua'
local MOST = 120

-- The lines that a diff adds, white space, comments and includes apart.
local function added(before, after)
  return tonumber((test.must([=[
code() {
  tools/diff/default-arm.sh "$1" | sed 's|//.*||; s/[[:space:]]*$//' |
    grep -v -e '^#' -e '^$'
}
code "$1" >"$3/before"
code "$2" >"$3/after"
diff -w --minimal "$3/before" "$3/after" | grep -c '^>' || :]=], before, after,
    test.scratch)))
end

local granted = {}
for line in test.read 'tests/ladder/exceptions.list':gmatch '[^\n]+' do
  local stage, lines = line:match '^(stage[%w_]+) | (%d+) | .+$'
  if stage then granted[stage] = tonumber(lines) end
end

local stages = test.lines(test.must 'tools/source/ladder.sh')
for i = 2, #stages do
  local stage, lines = stages[i], added(stages[i - 1], stages[i])
  local most = granted[stage] or MOST
  test.ok(lines and lines > 0 and lines <= most,
    string.format('%s adds %s lines, of %d', stage, lines, most))
  if granted[stage] then
    test.ok(lines > MOST, '  and needs its exception')
    granted[stage] = nil
  end
end
test.ok(not next(granted), 'each of exceptions.list is a stage', next(granted))

-- Of the toggles' arms one is left; the marks of regions are gone.
local tool = test.folder .. '/tools/diff/default-arm.sh'
test.folder = test.scratch
test.must 'mkdir stage99_x'
test.write('stage99_x/kernel.cu', [[
#include <no/such/header>

//> toggles
// toggle USE_A: 0 1
#ifndef USE_A
#define USE_A 0
#endif
//< toggles
//> one
#if USE_A

int a;  // never
#else

int b;  // a comment
#endif
//< one
]])
local left = test.must('"$1" stage99_x', tool)
test.ok(left == [[
#include <no/such/header>

// toggle USE_A: 0 1
#ifndef USE_A
#define USE_A 0
#endif

int b;  // a comment
]], 'the default arm alone is left, and how toggles are declared', left)
test.finish()
