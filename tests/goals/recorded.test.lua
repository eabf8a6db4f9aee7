#!tests/lua.sh
-- What the executor and the gates recorded under results/ is what they say now.
-- takes: 12 s
local test = dofile 'tests/lib.lua'

-- Each: a name, and a script that makes "$1" anew and looks.
for index, case in ipairs {
  {'README.md shows what the results say', 'tools/readme/readme.lua --check'},
} do
  test.ends(case[1], 0, '', case[2], test.scratch .. '/' .. index .. '.json')
end

-- Everything but when, by which compiler and from which commit.
local function counters(path)
  return (test.read(path) or ''):match '\n "counters".*' or ''
end
local recorded = test.must [[
{ git ls-files -co --exclude-standard 'results/*.count.json' 2>/dev/null ||
  find results -name '*.count.json'; } | sort]]
for _, path in ipairs(test.lines(recorded)) do
  local file = path:match '[^/]*$'
  local said = test.sh([[
arm=$(tools/toggles/toggles.sh of-file "$1") &&
  "build/instrumented/$arm/program" count --json "$2"]],
    file:gsub('%.count%.json$', ''), test.scratch)
  local old, new = counters(path), counters(test.scratch .. '/' .. file)
  test.ok(old ~= '' and old == new,
    path .. ' is what the executor counts now', said)
end
test.finish()
