#!tests/lua.sh
-- Every barrier, wait, arrival, fence and commit of a kernel, removed alone:
--   remove.lua [STAGE...]   tries them all, or those of these stages, and
--                           prints removed.list or its lines (minutes)
--   remove.lua STAGE PLACE  tries one of them and prints its line
-- A line of removed.list: STAGE|PLACE|ARM|what the executor says of the kernel
-- without it, or "redundant: " and then by hand why. Arm and reason are taken
-- from the list as it is: where the first arm that compiles a place does
-- nothing there, another can be written in.
local test = dofile 'tests/lib.lua'
local lines = test.lines

test.must 'make -s build/tests/plant'
local plant = test.folder .. '/build/tests/plant '
local include = test.must 'tools/setup/cuda-home.sh --headers'
test.enter_copy()

local listed = {} -- by stage and place: the arm and what is said
for line in io.lines 'tests/races/removed.list' do
  local key, arm, said = line:match '^([^#|]*|[^|]*)|([^|]*)|(.*)$'
  if key then listed[key] = {arm, said} end
end

-- Where stages 8 and 9 split keys, a step has 256 of them, and with 600 their
-- ring goes round. From stage 10 on it holds at most four tiles of 128 keys: of
-- 900 keys every slot that is given back is filled again, and a block of stage
-- 15 has several tiles of rows. With the mask, stage 16 skips tiles and turns
-- its order, and a block that splits keys has several turns.
local few = 'small 1,1,97,64 1,2,230,64'
local ring = 'small 1,2,900,64'
local turns = ring .. ' 1,3,333,128,causal'
local skips = turns .. ' 1,3,390,128,causal 1,3,513,128,causal'
local shapes = {stage8 = few .. ' 1,1,600,64',
  stage9 = few .. ' 1,1,600,64 1,1,600,128', stage10 = ring, stage11 = ring,
  stage12 = ring, stage13 = ring, stage14 = ring, stage15 = turns,
  stage16 = skips, stage17 = skips}
local function shapes_of(stage) return shapes[stage:match '^%w+'] or few end

-- The arms in which a line may be compiled, settings in one text: the default
-- first, then what the kernel allows of single settings, and of pairs.
local function arms(stage)
  local toggles, all = 'tools/toggles/toggles.sh ', {'default'}
  local settings = lines(test.must(toggles .. 'others ' .. stage))
  local function add_allowed(arm)
    local _, code = test.sh(toggles .. 'allowed ' .. stage .. ' ' .. arm)
    if code == 0 and not arm:find 'DEBUG_PRINT=' then table.insert(all, arm) end
  end
  for _, one in ipairs(settings) do add_allowed(one) end
  for _, one in ipairs(settings) do
    for _, two in ipairs(settings) do
      if one:match '^[^=]*' ~= two:match '^[^=]*' then
        add_allowed(one .. ' ' .. two)
      end
    end
  end
  return all
end

local function is_compiled(arm)
  local define = arm == 'default' and '' or arm:gsub('%S+', '-D%0')
  local _, code = test.sh([[g++ -E -x c++ -std=c++17 -I. -Icommon/simt/include \
    -Ibuild/simt-include -isystem "$1" \
    -include common/simt/include/simt_prelude.h ]] .. define ..
    ' marked.cu | grep -q this_place_is_compiled', (include:gsub('\n', '')))
  return code == 0
end

-- What a command says, which is the end where it fails.
local function said_by(command, ...)
  local said, code = test.sh(command, ...)
  if code == 0 then return said end
  io.stderr:write(said)
  os.exit(code)
end

-- The kernel with one edit, in this file.
local function edit(stage, place, how, file)
  test.write(file, said_by(plant .. 'edit "$@"', stage .. '/kernel.cu', place,
    how))
end

-- The arm of the list, or else the first that compiles the place: all arms
-- take a while to list.
local function arm_of(stage, place, before)
  edit(stage, place, 'write this_place_is_compiled;', 'marked.cu')
  local arm = before and before[1]:gsub(',', ' ')
  if arm and is_compiled(arm) then return arm end
  for _, one in ipairs(arms(stage)) do
    if is_compiled(one) then return one end
  end
end

-- Every kind of finding, each once; without any, the last lines.
local function findings(said)
  local kinds = {}
  for _, line in ipairs(lines(said)) do
    local kind = line:match '^(%l[%l -]*): '
    if kind and not kinds[kind] and not (kind:find '^make' or
        kind:find '^small' or kind:find 'findings') then
      kinds[kind] = true
      table.insert(kinds, kind)
    end
  end
  table.sort(kinds)
  return kinds[1] and table.concat(kinds, ', ') or said:sub(-300)
end

local function try(stage, place)
  local before = listed[stage .. '|' .. place]
  local arm, finding = arm_of(stage, place, before), 'in no arm'
  if arm then
    local kernel = stage .. '/kernel.cu'
    local whole = test.read(kernel)
    edit(stage, place, 'empty', kernel)
    local said, code = test.sh('make ' .. stage .. ' race TARGET=cpu ' ..
      arm:gsub('^default$', '') .. ' SHAPES="' .. shapes_of(stage) .. '"')
    finding = code ~= 0 and findings(said) or
      before and before[2]:match '^redundant: .*' or 'redundant'
    test.write(kernel, whole)
  end
  print(table.concat({stage, place, arm and arm:gsub(' ', ',') or 'none',
    finding}, '|'))
end

local stages = {table.unpack(arg)}
if #stages == 2 and not test.read(stages[2] .. '/kernel.cu') then
  return try(table.unpack(stages))
end
if #stages == 0 then
  stages = lines(test.must 'tools/source/ladder.sh')
  print '# tests/races/remove.lua: each barrier, wait, arrival, fence and \z
    commit removed alone.'
end
for _, stage in ipairs(stages) do
  io.write('# kernel ', stage, ' ',
    said_by('tools/results/kernel-hash.sh "$1"', stage))
  for _, place in ipairs(lines(said_by(plant .. 'sites "$1"', stage ..
      '/kernel.cu'))) do
    try(stage, place)
  end
end
