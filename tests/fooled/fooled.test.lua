#!tests/lua.sh
-- An experiment of the chapter on mistakes: the mistake is still refused, and
-- the chapter shows what the experiment prints now.
-- for each tests/fooled/experiments/*.lua
-- takes: 20 s
-- drawn: 3
local test = dofile 'tests/lib.lua'
local name = arg[1]:match '([^/]*)%.lua$'
-- make check-more builds nothing before.
test.must [[for program in linear_codes impostors; do
  [ -x build/tests/$program ] || make -s LOCKED=1 build/tests/$program || exit
done]]
local said, code = test.sh(arg[1])
if code == 3 then
  test.skip(name, said:match '([^\n]*)\n$')
else
  test.ok(code == 0 and said:find '\nThe mistake is refused.\n', name, said)
  test.write(test.scratch .. '/said', said)
  test.ends('  as chapter 21 shows it', 0, '', [[cd "$1"
tail -n +2 "$3/chapters/output/fooled-$2.txt" >shown
sed -f "$3/book/refresh.sed" said | diff shown -]], test.scratch, name,
    test.folder)
end
test.finish()
