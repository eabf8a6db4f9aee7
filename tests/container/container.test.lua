#!tests/lua.sh
-- The Dockerfile and the devcontainer: an image of one day, packages by the
-- pins of setup alone, goals that there are, a user who is not root, and
-- nothing of the host.
local test = dofile 'tests/lib.lua'
local dockerfile = dofile 'tests/container/dockerfile.lua'
local goals = test.read 'chapters/back/goals.md'

local function is_goal(word)
  return goals:find('\n`' .. word .. '`\n', 1, true) ~= nil
end
local function is_group(word)
  return select(2, test.sh([[tools=$PWD/tools && . tools/setup/present.sh &&
    is_group "$1"]], word)) == 0
end

local text = test.read 'Dockerfile'
local faults, user = dockerfile.faults(text, is_group, is_goal)
test.ok(#faults == 0, 'the Dockerfile does what it may',
  table.concat(faults, '\n'))
for _, case in ipairs {
  {'the latest image', 'bookworm-20251229', 'latest'},
  {'an image of no day', 'bookworm-20251229', 'bookworm'},
  {'one processor', 'FROM ', 'FROM --platform=linux/amd64 '},
  {'root', 'USER reader', ''},
  {'root by name', 'USER reader', 'USER root'},
  {'a user whom nobody made', 'USER reader', 'USER writer'},
  {'packages of its own', '&& rm', '&& apt-get install -y vim && rm'},
  {'a download', '&& rm', '&& curl -O https://example.org/x && rm'},
  {'no setup', 'sh tools/setup/setup.sh', 'make doctor'},
  {'a group that is none', 'setup.sh &&', 'setup.sh moon &&'},
  {'setup by another user', 'RUN sh', 'USER reader\nRUN sh'},
  {'a goal that is none', 'make doctor', 'make tea'},
  {'a folder of the host', 'CMD', 'VOLUME /home\nCMD'},
} do
  local start, last = text:find(case[2], 1, true)
  local spoilt = text:sub(1, start - 1) .. case[3] .. text:sub(last + 1)
  test.ok(#dockerfile.faults(spoilt, is_group, is_goal) > 0,
    '  and not with ' .. case[1], spoilt)
end

-- What git leaves out is this machine's, and not carried into the image.
local left_out = '\n' .. test.read '.dockerignore'
for name in ('\n' .. test.read '.gitignore'):gmatch '%f[^\n]/(%S-)/%f[\n]' do
  test.ok(left_out:find('\n' .. name .. '\n', 1, true),
    '.dockerignore has ' .. name, left_out)
end

local FILE = '.devcontainer/devcontainer.json'
local KEYS = {name = 'string', build = 'table', remoteUser = 'string',
  postCreateCommand = 'string'}
local its = test.json(FILE)
test.ok(its, FILE .. ' is JSON')
for key, value in pairs(its or {}) do
  test.ok(type(value) == KEYS[key], '  ' .. key .. ': nothing of the host')
end
test.ok(its and its.remoteUser == user, "its user is the Dockerfile's", user)
test.ok(its and its.build.dockerfile == '../Dockerfile' and
  its.build.context == '..', 'it is built from the same Dockerfile')
local goal = its and its.postCreateCommand:match '^make (%l+)$'
test.ok(goal and is_goal(goal), 'it begins with a goal of make', goal)
test.finish()
