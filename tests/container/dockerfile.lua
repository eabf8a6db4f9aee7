-- Reads a Dockerfile and holds it against what ours may do.
local dockerfile = {}

-- Its instructions, as {WORD, REST}; a line that ends in \ goes on.
function dockerfile.read(text)
  local list = {}
  local whole = text:gsub('\n#[^\n]*', ''):gsub('\\\n%s*', '')
  for line in whole:gmatch '[^\n]+' do
    local word, rest = line:match '^(%u+)%s+(.*)$'
    if word then
      table.insert(list, {word, rest})
    elseif not line:find '^#' then
      table.insert(list, {'?', line})
    end
  end
  return list
end

-- What a step of RUN may be, beside setup.sh and make.
local MAY = {'^useradd %-%-create%-home %-%-shell /bin/bash %l+$',
  '^rm %-r /var/lib/apt/lists$', '^chown [%-R ]*%l+ %.[%l]*$'}

-- The commands that are joined by && in a RUN
function dockerfile.commands(rest)
  local list = {}
  for command in (rest .. ' && '):gmatch '(.-)%s*&&%s*' do
    table.insert(list, command)
  end
  return list
end

local function knows(command, is_group, is_goal)
  local words = command:match '^sh tools/setup/setup%.sh(.*)$'
  if words then
    for word in words:gmatch '%S+' do
      if not is_group(word) then return false end
    end
    return true
  end
  local goal = command:match '^make (%l[%w-]*)$'
  if goal then return is_goal(goal) end
  for _, pattern in ipairs(MAY) do
    if command:find(pattern) then return true end
  end
  return false
end

-- Each thing that is wrong with it, a sentence a thing, and the user whom it
-- leaves.
function dockerfile.faults(text, is_group, is_goal)
  local faults, made, user, bases, sets = {}, {}, 'root', 0, 0
  local function fault(...) table.insert(faults, table.concat({...}, ' ')) end
  for _, step in ipairs(dockerfile.read(text)) do
    local word, rest = step[1], step[2]
    if word == 'FROM' then
      bases = bases + 1
      if not rest:find '^debian:bookworm%-20%d%d%d%d%d%d$' then
        fault('the image is not one of a day and for every processor:', rest)
      end
    elseif word == 'RUN' then
      for _, command in ipairs(dockerfile.commands(rest)) do
        if not knows(command, is_group, is_goal) then
          fault('a step is none of this project:', command)
        end
        made[command:match '^useradd .* (%l+)$' or ''] = true
        if command:find '^sh tools/setup/setup%.sh' then
          sets = sets + 1
          if user ~= 'root' then fault 'setup cannot install packages' end
        end
      end
    elseif word == 'USER' then
      user = rest
      if not made[rest] then fault('there is no user', rest) end
    elseif word == 'COPY' then
      local owner = rest:match '^%-%-chown=(%l+) %. %.$'
      if not made[owner or ''] then fault('the tree has no owner:', rest) end
    elseif word ~= 'WORKDIR' and word ~= 'CMD' then
      fault('an instruction that ours has not:', word, rest)
    end
  end
  if bases ~= 1 then fault 'there is not one image to begin from' end
  if sets == 0 then fault 'setup is not run' end
  if user == 'root' or user == '0' then fault 'it leaves root' end
  return faults, user
end

return dockerfile
