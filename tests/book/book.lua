-- For the book's tests: tests/lib.lua, and the sample book.
local test = dofile 'tests/lib.lua'
test.sample = test.folder .. '/tests/book/sample'
test.html = test.scratch .. '/html'

-- Ends the test, as skipped, where one of these programs is not here.
function test.needs(programs)
  for program in programs:gmatch '%S+' do
    if select(2, test.sh('command -v "$1"', program)) ~= 0 then
      test.skip('the book', program .. ' is not installed')
      test.finish()
    end
  end
end
test.needs 'node git unifdef'

-- The script succeeds.
function test.holds(name, script, ...) test.ends(name, 0, '', script, ...) end

-- A book is built in test.html, or elsewhere.
function test.builds(name, tree, html)
  test.holds(name, 'book/build.sh "$@"', tree, html or test.html)
end

-- What builds of the book itself keep for each other; cold, each would take
-- half a minute more.
test.kept = test.folder .. '/build/ccache/book'

-- The file holds the pattern of `grep -E`; a page is named without its folder.
function test.shows(name, file, pattern)
  if not file:find '/' then file = test.html .. '/' .. file end
  test.holds(name, 'grep -Eq -- "$1" "$2"', pattern, file)
end

-- A list of two lines each: PAGE NAME, and the pattern.
function test.shows_all(list)
  for page, name, pattern in test.read('tests/book/' .. list)
      :gmatch '(%S+) ([^\n]*)\n  ([^\n]*)\n' do
    test.shows(name, page, pattern)
  end
end

-- A fault, which a script of sed makes in a file, is seen: the check, which is
-- a script or a function, ends with another code than 0.
function test.spoilt(name, file, script, check, ...)
  local whole = test.read(file)
  test.must('sed -i "$1" "$2"', script, file)
  if type(check) == 'string' then
    local words = check
    check = function(...) return test.sh(words, ...) end
  end
  local said, code = check(...)
  test.ok(test.read(file) ~= whole and code ~= 0, 'seen: ' .. name, said)
  test.write(file, whole)
end

-- A copy of the book's programs, with the pandoc that they use: its folder.
function test.copy_book(name)
  local folder = test.scratch .. '/' .. name
  test.must([[mkdir -p "$1/tools" "$1/place" && cp -R book "$1/book"
cp -R tools/setup "$1/tools" && ln -s "$PWD/.deps" "$1/.deps"]], folder)
  return folder
end

-- A PATH that leads to no more than these programs, and those of calls before.
function test.only(programs)
  local folder = test.scratch .. '/only'
  test.must([[mkdir -p "$1" && for name in $2; do
  ln -s "$(command -v $name)" "$1/$name"
done]], folder, programs)
  return folder
end

return test
