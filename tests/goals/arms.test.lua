#!tests/lua.sh
-- An arm of each toggle but the details, with what it needs beside it, on the
-- executor: what was asked for is what was built, its gates pass, and it has no
-- race. A change for one arm may break another. All arms, at all shapes, are in
-- tests/more/arms.more.sh.
-- for each stage[0-9]*_* without stage.mk
-- takes: 25 s
-- drawn: 2
local test = dofile 'tests/lib.lua'
test.enter_copy()
local stage = arg[1]
test.only_stage(stage)
local toggles = 'tools/toggles/toggles.sh '
local arms = test.ends('the arms of ' .. stage .. ' are known', 0, '',
  '. tests/lib.sh; one_of_each ' .. stage)
-- One of the sentences behind #error in the kernel.
local function says_why(said)
  for why in test.read(stage .. '/kernel.cu'):gmatch '\n#error "([^"]*)"' do
    if said:find(why, 1, true) then return true end
  end
end

for _, setting in ipairs(test.lines(arms)) do
  local also = test.sh(toggles .. 'beside ' .. stage .. ' ' .. setting ..
    ' 2>/dev/null'):gsub('\n', '')
  local settings = setting .. (also ~= '' and ' ' .. also or '')
  local verbs = setting:find '^DEBUG_' and '' or 'check race' -- that prints
  test.ends(stage .. ' ' .. settings .. ': ' .. (verbs ~= '' and verbs or
    'build'), 0, '', 'make -j2 ' .. stage .. ' ' .. verbs .. ' ' .. settings ..
    ' TARGET=cpu SHAPES="small odd"')
  local said = test.sh('"build/cpu/$1/$(' .. toggles .. 'arm "$1" ' ..
    settings .. ')/program" info', stage)
  local as_asked = true
  for asked in settings:gmatch '%S+' do
    as_asked = as_asked and said:find('%f[%S]' .. asked .. '%f[%s\0]')
  end
  test.ok(as_asked, '  says that it was built so', said)
  if also ~= '' then
    local code
    said, code = test.sh('make ' .. stage .. ' ' .. setting .. ' TARGET=cpu')
    test.ok(code ~= 0 and says_why(said), '  and alone says what it needs',
      said)
  end
end
test.finish()
