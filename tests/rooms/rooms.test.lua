#!tests/lua.sh
-- The rooms of the house are in order; and in a small house with a mistake,
-- rooms.lua names it.
local test = dofile 'tests/lib.lua'
local root = test.folder
local rooms = '"$1/tools/setup/pandoc.sh" lua "$1/tests/rooms/rooms.lua" '
test.ends('folders, headers and calls of tests/rooms/areas.lua are in order', 0,
  '', rooms, root)

-- Two rooms, each source with its header, and calls that point down.
local low = '#include "src/low/low.h"\nint low(void) { return 1; }\n' ..
  'int cudaLow(void) { return 2; }\nint all(void) { return 3; }\n'
local high = '#include "src/high/high.h"\n#include "src/low/low.h"\n' ..
  'int high(void) { return low(); }\n'
local in_order = {
  ['areas.lua'] = [[return {house = {folder = 'src', objects = 'obj',
    order = 'low high', interfaces = 'src/all.h', elsewhere = '^cuda'}}]],
  ['src/all.h'] = 'int all(void);', ['src/low/low.h'] = 'int low(void);',
  ['src/high/high.h'] = 'int high(void);', ['src/low/low.c'] = low,
  ['src/high/high.c'] = high,
}
-- With other files, or without one that is false.
local function house(files)
  test.must 'rm -rf house && mkdir -p house/src/low house/src/high'
  setmetatable(files, {__index = in_order})
  for name in pairs(in_order) do files[name] = files[name] end
  for name, text in pairs(files) do
    if text then test.write('house/' .. name, text .. '\n') end
  end
  test.must [[cd house/src && find . -name '*.c' | while read -r source; do
    mkdir -p "../obj/${source%/*}"
    ${CC:-cc} -I.. -c -o "../obj/${source%.c}.o" "$source" || exit
  done]]
end

local function rooms_say(name, fault)
  local said, code = test.sh('cd house && ' .. rooms .. 'areas.lua', root)
  test.ok(fault and code == 1 and #test.lines(said) == 1 and
    said:find(fault, 1, true) or not fault and code == 0 and said == '', name,
    said)
end

test.folder = test.scratch
local notes, circle = {}, {}
for n = 1, 21 do notes['src/low/note' .. n] = '' end
for n = 1, 3 do
  circle['src/low/f' .. n .. '.h'] = 'int f' .. n .. '(void);'
  circle['src/low/f' .. n .. '.c'] = ('#include "src/low/fNEXT.h"\n' ..
    'int fN(void);\nint fN(void) { return fNEXT(); }'):gsub('NEXT', n % 3 + 1)
    :gsub('N', n)
end
for _, case in ipairs {
  {'a house in order', nil, {}},
  {'a folder with 23 files', 'src/low has 23 files of its own', notes},
  {'a function that no header declares', 'src/high/high.c defines forgotten', {
    ['src/high/high.c'] = high .. 'int forgotten(void) { return 4; }'}},
  {'a source without its header', 'src/high/high.c defines high', {
    ['src/high/high.h'] = false, ['src/high/other.h'] = 'int high(void);',
    ['src/high/high.c'] = high:gsub('high/high.h', 'high/other.h')}},
  {'two files that use each other',
    'src/low/low and src/low/more use each other', {
      ['src/low/more.h'] = '#include "src/low/low.h"\nint more(void);',
      ['src/low/more.c'] = '#include "src/low/more.h"\n' ..
        'int more(void) { return low(); }',
      ['src/low/low.c'] = '#include "src/low/more.h"\n' .. low}},
  {'a circle of three files',
    'a circle of calls: src/low/f1, src/low/f2, src/low/f3', circle},
  {'a call up', 'src/low/up calls top, up to src/high/top', {
    ['src/high/top.h'] = 'int top(void);',
    ['src/high/top.c'] = 'int top(void) { return 5; }',
    ['src/low/up.c'] = 'int top(void); int up(void) { return top(); }',
    ['src/low/up.h'] = 'int up(void);'}},
  {'a module of Lua', 'src/low/up requires high.top, up to src/high/top', {
    ['src/low/up.lua'] = "local top = require 'high.top'",
    ['src/low/more.lua'] = "local up = require('low.up')",
    ['src/high/top.lua'] = 'return 5'}},
  {'a header alone', nil, {['src/low/late.h'] = 'int late(void);'}},
  {'an #include line up',
    'src/low/up includes src/high/top.h, up to src/high/top', {
      ['src/high/top.h'] = 'int top(void);',
      ['src/low/up.h'] = '#include "src/high/top.h"'}},
} do
  house(case[3])
  rooms_say(case[1], case[2])
end

house {['src/low/late.h'] = 'int late(void);'}
test.write('house/src/low/late.c', 'int late(void) { return 6; }\n')
rooms_say('a source that was not built',
  'src/low/late.c has no object in obj')
test.finish()
