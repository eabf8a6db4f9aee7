-- In which arm of a stage a line of its kernel is compiled.
local folder_of = dofile 'tools/source/folder.lua'
local arms = {}

local function lines(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  return pipe:close() and list
end

local function toggles(...)
  return lines('tools/toggles/toggles.sh ' .. table.concat({...}, ' ') ..
    ' 2>/dev/null </dev/null')
end

-- The default first, then each setting with what it needs beside it; not those
-- that print.
local function spelled(stage)
  local list = {'default'}
  for _, setting in ipairs(toggles('others', stage)) do
    local beside = not setting:match '^DEBUG_' and
      toggles('beside', stage, setting)
    if beside then
      list[#list + 1] = toggles('arm', stage, setting,
        table.unpack(beside))[1]
    end
  end
  return list
end

-- The set of lines that the preprocessor leaves.
local function compiled(stage, arm)
  local kernel = folder_of(stage) .. '/kernel.cu'
  local defines = arm == 'default' and '' or toggles('defines', arm)[1]
  local set, file, number = {}, nil, 0
  for _, line in ipairs(assert(lines(string.format('%s %s -E %s',
      os.getenv 'COMPILE_PLAIN', defines, kernel)))) do
    local at, name = line:match '^# (%d+) "([^"]*)"'
    if at then
      file, number = name, tonumber(at)
    else
      if file == kernel and line:find '%S' then set[number] = true end
      number = number + 1
    end
  end
  return set
end

-- A function: line -> the first arm that compiles it, or nil.
function arms.of(stage)
  local names, sets = spelled(stage), {}
  return function(line)
    for i, arm in ipairs(names) do
      sets[i] = sets[i] or compiled(stage, arm)
      if sets[i][line] then return arm end
    end
  end
end

return arms
