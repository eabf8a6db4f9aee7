#!tests/lua.sh
-- The workflow for a public forge and CITATION.cff: each is what its schema
-- says; the workflow's steps call make, and shellcheck finds nothing in them.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
local check = test.folder .. '/.deps/tests/bin/check-jsonschema'
local here = select(2, test.sh([[tools=$PWD/tools && . tools/setup/present.sh &&
  environment_here tests]])) == 0
local WORKFLOW = '.github/workflows/book.yml'

-- Is a file what a schema says? `script` of sed spoils a copy before.
local function valid(path, schema, script)
  local copy = test.scratch .. '/' .. path:match '[^/]*$'
  test.must('sed "$1" "$2" >"$3"', script or '', path, copy)
  return test.sh('"$@"', check, '--builtin-schema', 'vendor.' .. schema, copy)
end

local function holds_schema(path, schema, spoils)
  if not here then
    test.skip(path, 'check-jsonschema is not installed; make setup')
    return
  end
  local said, code = valid(path, schema)
  test.ok(code == 0, path .. ' is what its schema says', said)
  for _, script in ipairs(spoils) do
    said, code = valid(path, schema, script)
    test.ok(code == 1, '  and not after ' .. script, said)
  end
end

holds_schema(WORKFLOW, 'github-workflows', {'s/runs-on/runs-at/',
  's/^      - run: .ci.run/      - runs: .ci\\/run/'})
holds_schema('CITATION.cff', 'citation-file-format',
  {'s/CC-BY-4.0/CC-BY-4/'})

-- The commands of a workflow's steps: what stands behind "run:", in one line or
-- in those that are further in.
local function commands_of(text)
  local list, within = {}, nil
  for line in text:gmatch '([^\n]*)\n' do
    local indent, rest = line:match '^( *)(.*)$'
    local before, command = line:match '^( *%-? *)run: (.*)$'
    if command then
      table.insert(list, (command:gsub('^[|>]%-?$', '')))
      within = #before
    elseif within and #indent > within and rest ~= '' then
      list[#list] = list[#list] .. ' ' .. rest
    else
      within = nil
    end
  end
  return list
end

local MAY = {'^%.ci/run$', '^make [^;&|]+$', '^gh release create [^;&|]+$',
  '^apt%-get update && apt%-get install %-y [%w -]+$'}
local function strangers(text)
  local list = {}
  for _, command in ipairs(commands_of(text)) do
    local known = false
    for _, pattern in ipairs(MAY) do
      known = known or command:find(pattern) ~= nil
    end
    if not known then table.insert(list, command) end
  end
  return list
end

local text = test.read(WORKFLOW)
local commands = commands_of(text)
local _, runs = text:gsub('run: ', '')
test.ok(#commands == runs and runs >= 5, 'each step is read', runs)
local found = strangers(text)
test.ok(#found == 0, 'steps call .ci/run, make, or the forge alone',
  table.concat(found, '\n'))
test.ok(#strangers(text:gsub('run: make setup', 'run: make setup; ./more')) == 1
  and #strangers(text:gsub('run: %.ci/run', 'run: |\n          cc x.c')) == 1,
  '  and what does more is seen')

-- Each goal that a step names is one of make's.
local goals = test.read 'chapters/back/goals.md'
for _, command in ipairs(commands) do
  for goal, rest in command:gmatch '^make (%S+)(.*)$' do
    test.ok(goals:find('\n`' .. goal .. '`\n', 1, true), command ..
      ': a goal of make')
    for setting in rest:gmatch '(%u+)=' do
      test.ok(goals:find('\n`' .. setting .. '`\n', 1, true),
        '  with a setting of make, ' .. setting)
    end
  end
end
test.ok(text:find('\n      - run: .ci/run\n', 1, true), 'a step is .ci/run')

local script = test.scratch .. '/step.sh'
if select(2, test.sh 'command -v shellcheck') ~= 0 then
  test.skip('the steps', 'shellcheck is not installed')
  commands = {}
end
for _, command in ipairs(commands) do
  test.write(script, '#!/bin/sh\n' .. command .. '\n')
  test.ends('shellcheck: ' .. command:sub(1, 40), 0, '',
    'shellcheck "$1"', script)
end
if #commands > 0 then
  test.write(script, '#!/bin/sh\n' ..
    commands[#commands]:gsub('"%$TAG"', '$TAG'))
  test.ok(select(2, test.sh('shellcheck "$1"', script)) == 1,
    '  and it sees what is not quoted')
end

-- Both say what the book says of itself.
local title = test.read 'chapters/book.yaml':match '^[^\n]*\ntitle: ([^\n]*)'
test.ok(title and test.read 'CITATION.cff':find('\ntitle: ' .. title .. '\n', 1,
  true), "CITATION.cff has the book's title")
test.finish()
