#!tests/lua.sh
-- A toggle reaches the arm's name, and nothing else does: each setting alone,
-- in a stage whose toggles have all kinds of defaults.
local test = dofile 'tests/lib.lua'
local toggles = test.folder .. '/tools/toggles/toggles.sh'
test.folder = test.scratch
test.must 'mkdir stage99_fake'
test.write('stage99_fake/kernel.cu', [[
// toggle FIRST: 0 1
#ifndef FIRST
#define FIRST 1
#endif
// toggle SECOND: 1 2 16 (detail)
#ifndef SECOND
#define SECOND 16
#endif
// toggle THIRD: 0 1
#ifndef THIRD
#define THIRD 0
#endif
#if THIRD && (FIRST || SECOND < 2)
#error "THIRD=1 needs FIRST=0 and SECOND of 2 or more"
#endif
#include <never_found.h>
]])

-- Each: a name, the exit code, all that is said, and what is asked.
local cases = {
  {'the values are listed, without the layer', 0,
    'FIRST 1 0 1\nSECOND 16 1 2 16\nTHIRD 0 0 1', 'list'},
  {'the settings that are no defaults', 0,
    'FIRST=0\nSECOND=1\nSECOND=2\nTHIRD=1', 'others'},
  {'the layers', 0, 'FIRST structure\nSECOND detail\nTHIRD structure', 'layer'},
  {'what the kernel rules out, in its own words', 1,
    'THIRD=1 needs FIRST=0 and SECOND of 2 or more', 'allowed', 'THIRD=1'},
  {'what it allows', 0, '', 'allowed', 'THIRD=1 FIRST=0'},
}
for _, case in ipairs {
  {'', 'default'},
  {'FIRST=0', 'FIRST-0'},
  {'SECOND=1', 'SECOND-1'},
  {'THIRD=1', 'THIRD-1'},
  {'FIRST=1', 'default'},
  {'SECOND=16 THIRD=0', 'default'},
  {'THIRD=1 FIRST=0', 'FIRST-0.THIRD-1'},
  {'FIRST=0 THIRD=1 SECOND=2', 'FIRST-0.SECOND-2.THIRD-1'},
  {'SECOND=1 THIRD=1', 'SECOND-1.THIRD-1'},
} do
  local settings, arm = table.unpack(case)
  table.insert(cases, {"arm of '" .. settings .. "'", 0, arm, 'arm', settings})
end

for _, case in ipairs(cases) do
  local name, code, text, verb, settings = table.unpack(case)
  local said, ended = test.sh('exec "$1" "$2" stage99_fake $3', toggles, verb,
    settings or '')
  test.ok(ended == code and said:gsub('\n$', '') == text, name, said)
end
test.finish()
