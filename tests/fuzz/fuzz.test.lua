#!tests/lua.sh
-- What reads options, shapes, settings, results and the library's arguments, on
-- inputs that libFuzzer makes; tests/more/fuzz.more.lua takes longer.
-- takes: 10 s
-- never kept: each run tries other inputs
local test = dofile 'tests/lib.lua'
dofile 'tests/fuzz/run.lua'(test, 5)
test.finish()
