#!tests/lua.sh
-- Each command whose output a chapter shows is run again, in a copy of the
-- tree, and must print what the chapter shows, timings masked. (Those of
-- chapter 21 are run by tests/fooled, the gates by tests/goals/test_stages.py.)
-- takes: 40 s
local test = dofile 'tests/lib.lua'
local tree = test.folder
test.enter_copy()
test.must 'rm -f chapters/output/fooled-*.txt chapters/output/*-check.txt'
local said, code = test.sh 'book/refresh-output.sh'
test.ok(code == 0, 'every command runs', said)
for _, shown in ipairs(test.lines(test.must 'ls chapters/output/*.txt')) do
  if said:find(shown .. ': this machine cannot', 1, true) then
    test.skip(shown, 'this machine cannot do that')
  else
    local command = test.read(shown):match '^%$ ([^\n]*)'
    test.ends(command, 0, '', 'diff "$1/$2" "$2"', tree, shown)
  end
end
test.finish()
