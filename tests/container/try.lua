#!tests/lua.sh
-- The Dockerfile's steps without an engine, in a Debian tree:
--   debootstrap --variant=minbase bookworm FOLDER
--   tests/container/try.lua FOLDER [COMMAND]...
-- Root only. The commands are run after them, by the user whom they leave. It
-- says how long each took, and ends with 1 at the first that fails.
local test = dofile 'tests/lib.lua'
local dockerfile = dofile 'tests/container/dockerfile.lua'
local root, user, place = arg[1], 'root', '/'

if not root or test.read(root .. '/etc/debian_version') == nil then
  io.stderr:write('Give a folder where debootstrap has put a Debian tree.\n')
  os.exit(2)
end

-- Shown as they run, but for what they print: its last lines, at the end.
local function run(command)
  local began = os.time()
  local said, code = test.sh([[env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME="/home/$2" chroot --userspec="$2" "$1" sh -c "cd $3 && $4"]], root,
    user, place, command)
  print(string.format('%4d s  %s: %s', os.time() - began, user, command))
  local lines = test.lines(said)
  for i = math.max(1, #lines - 3), #lines do print('        ' .. lines[i]) end
  if code ~= 0 then os.exit(1) end
end

for _, step in ipairs(dockerfile.read(test.read 'Dockerfile')) do
  local word, rest = step[1], step[2]
  if word == 'RUN' then
    run(rest)
  elseif word == 'USER' then
    user = rest
  elseif word == 'WORKDIR' then
    place = rest
    test.must('mkdir -p "$1"', root .. place)
  elseif word == 'COPY' then
    test.must([[. tests/lib.sh; mkdir -p "$1" &&
      tree_files | tar -cf - -T - | tar -xf - -C "$1" &&
      chroot "$2" chown -R "$3" "$4"]], root .. place, root,
      rest:match '^%-%-chown=(%l+)', place .. '/.')
  end
end
for i = 2, #arg do run(arg[i]) end
