#!tests/lua.sh
-- The executor's wavefronts against those that Nsight Compute counted on a GPU,
-- pattern by pattern, from the newest recorded run.
local test = dofile 'tests/lib.lua'
local files = test.lines(test.must
  'find results -name shared-patterns.json | sort')
local recorded = test.json(files[#files]).patterns
local counted = test.ends('the executor runs every pattern', 0, '',
  'build/tests/patterns')
test.ok(#recorded == 96, '96 patterns were recorded on a GPU')
for _, one in ipairs(recorded) do
  local line = string.format('\n%s %d %d %d\n', one.access, one.bytes,
    one.pattern, one.wavefronts)
  test.ok(('\n' .. counted):find(line, 1, true), string.format(
    '%s of %d bytes, pattern %d: %d', one.access, one.bytes, one.pattern,
    one.wavefronts))
end
test.finish()
