-- Which lines of a kernel do the default cases of `check` and `race` not run?
-- For tests:  local lines = dofile 'tests/lines/lines.lua'
--             lines.test(test, 'stage1_cp_async', 'USE_CP_ASYNC-0')
local cases = dofile 'tests/lines/cases.lua'
local lines = {}

-- ---- what gcov says ----

-- How often each line ran; of templates, in each instance.
local FILTER = [[.files[] | select(.file | endswith("kernel.cu")) |
  {functions: [.functions[] | {name, title: .demangled_name, first: .start_line,
     count: .execution_count}],
   lines: [.lines[] | {line: .line_number, count, name: .function_name}]}]]

-- The text of each line of a source, and the region that it lies in.
local function source_of(test, path)
  local source, region = {}, 'none'
  for text in (test.read(path)):gmatch '([^\n]*)\n' do
    region = text:match '^//> (.*)' or region
    table.insert(source, {text = text:match '^%s*(.-)%s*$', region = region})
  end
  return source
end

-- "void f<a<1> >(int)::{lambda...": f<a<1> >, and whether it is f itself
local function instance(title)
  local name = title:match '^(.-)%(' or title
  return name:gsub('^[%w_]+ ', ''), not title:find('::{lambda', 1, true)
end

-- What never ran, in each instance: {line, text, region, who = the instance,
-- whole = true where nothing of it ran}.
local function unrun_of(report, source)
  local by_name, dead, found = {}, {}, {}
  local function add(line, who, whole)
    local key = whole and who or who .. line
    if found[key] then return end
    found[key] = true
    table.insert(found, {line = line, text = source[line].text,
      region = source[line].region, who = who, whole = whole})
  end
  for _, f in ipairs(report.functions) do
    local who, itself = instance(f.title)
    by_name[f.name] = who
    if itself and f.count == 0 then
      dead[who] = true
      add(f.first, who, true)
    end
  end
  for _, l in ipairs(report.lines) do
    local who = by_name[l.name] or 'the kernel'
    if l.count == 0 and not dead[who] then add(l.line, who, false) end
  end
  table.sort(found, function(a, b) return a.line < b.line end)
  return found
end

local function folder_of(stage, arm)
  return 'build/lines/' .. stage .. '/' .. arm
end

-- From now on every count begins at zero.
local function forget(test, stage, arm)
  test.must('rm -f "$1"/kernel.gcda', folder_of(stage, arm))
end

local function unrun(test, stage, arm)
  local said = test.must('gcov --json-format --stdout "$1"/kernel.gcda | ' ..
    'jq -c "$2"', folder_of(stage, arm), FILTER)
  return unrun_of(pandoc.json.decode(said, false),
    source_of(test, stage .. '/kernel.cu'))
end

-- Runs a case. Shapes that the kernel does not take are no mistake.
local function run(test, stage, arm, command)
  local said, code = test.sh(folder_of(stage, arm) .. '/program ' .. command)
  local refused = code == 3 and said:find ' takes '
  if code ~= 0 and not refused then error(command .. '\n' .. said) end
  return not refused
end

-- ---- what cannot run ----

-- The entries of unreachable.list for an arm that is built.
local function excuses(test, stage, arm)
  local all = {}
  local toggles = test.must('build/lines/$1/$2/program info | head -n 1', stage,
    arm)
  for _, line in ipairs(test.lines(test.read 'tests/lines/unreachable.list')) do
    local fields = {}
    for field in line:gmatch '[^|]+' do
      table.insert(fields, field:match '^%s*(.-)%s*$')
    end
    local of_arm = fields[2] == 'all' or
      toggles:find(' ' .. tostring(fields[2]) .. ' ', 1, true)
    if fields[1] == stage and of_arm then
      assert(#fields == 5, 'unreachable.list: not five fields: ' .. line)
      table.insert(all, {region = fields[3], text = fields[4]})
    end
  end
  return all
end

local function excused(left, list)
  for _, excuse in ipairs(list) do
    local has = left.whole and left.who or left.who .. ': ' .. left.text
    local here = excuse.region == 'any' or excuse.region == left.region
    if here and has:find(excuse.text, 1, true) then
      excuse.used = true
      return true
    end
  end
end

-- The lines that are not excused, as a reader wants to see them.
local function named(stage, all, list)
  local text = {}
  for _, excuse in ipairs(list) do excuse.used = false end
  for _, left in ipairs(all) do
    if not excused(left, list) then
      table.insert(text, string.format('%s/kernel.cu:%d %s%s%s', stage,
        left.line, left.who, left.whole and ' is never called' or ': ',
        left.whole and '' or left.text))
    end
  end
  return table.concat(text, '\n')
end

-- ---- for tests ----

-- Builds an arm, spelled as its folder is, and holds it against the list. The
-- cases end where no line is left; but not if `all` and the list has something
-- of this arm, for a later one may run that.
function lines.test(test, stage, arm, all)
  local name = stage .. (arm == 'default' and '' or ' ' .. arm)
  local settings = test.json 'common/harness/settings.json'
  -- One that another tree has built counts there.
  test.must('rm -rf build/lines; make -s build/lines/$1/$2/program', stage, arm)
  local list = excuses(test, stage, arm)
  for _, verb in ipairs {'race', 'check'} do
    local left = 'every line'
    forget(test, stage, arm)
    for _, command in ipairs(cases[verb](settings, stage)) do
      if (left ~= '' or all and list[1]) and run(test, stage, arm, command) then
        left = named(stage, unrun(test, stage, arm), list)
      end
    end
    test.ok(left == '', name .. ': the default cases of ' .. verb ..
      ' run every line', left)
    for _, excuse in ipairs(list) do
      test.ok(excuse.used, name .. ': but not, as the list says, ' ..
        excuse.text)
    end
  end
end

-- What a case alone leaves unrun, in a default arm that is built.
function lines.left(test, stage, command)
  forget(test, stage, 'default')
  run(test, stage, 'default', command)
  return named(stage, unrun(test, stage, 'default'),
    excuses(test, stage, 'default'))
end

return lines
