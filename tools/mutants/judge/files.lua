-- What a file holds and what a command prints.
local files = {}

-- Whole, as it is now; nil where there is none.
function files.read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read 'a'
  if file then file:close() end
  return text
end

-- A command that fails ends the program.
function files.output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read 'a'
  assert(pipe:close(), command .. ' failed')
  return text
end

return files
