#!tests/lua.sh
-- The fuzzers of tests/fuzz, for a minute each.
-- takes: 90 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
local _, code = test.sh [[
  make -j2 $(for f in tests/fuzz/*_fuzz.c; do
    f=${f%.c}
    echo "build/$f"
  done)]]
test.ok(code == 0, 'the fuzzers are built')
dofile 'tests/fuzz/run.lua'(test, 60)
test.finish()
