-- Files of the reader's, written whole or not at all; and how programs end that
-- refuse something in one sentence.
local files = {}

-- Raises one sentence.
function files.stop(...) error({sentence = string.format(...)}, 0) end

-- Ends the program with what a function returns, or 0; where it has raised one
-- sentence, with that and its code, or `code`, or 2.
function files.main(run, code)
  local fine, result = pcall(run)
  if not fine then
    if type(result) ~= 'table' then error(result, 0) end
    io.stderr:write(result.sentence, '\n')
    result = result.code or code or 2
  end
  os.exit(result or 0)
end

function files.quoted(word)
  return "'" .. tostring(word):gsub("'", "'\\''") .. "'"
end

function files.read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read 'a'
  if file then file:close() end
  return text
end

local function cannot(path, why)
  error({sentence = string.format('Cannot write %s: %s.', path,
    (tostring(why):gsub('^.*: ', ''))), code = 3}, 0)
end

-- Makes the folder if need be. An existing file stays whole whatever happens.
function files.write(path, text)
  local folder = path:match '^(.*)/[^/]*$'
  if folder then os.execute('mkdir -p ' .. files.quoted(folder) ..
    ' 2>/dev/null') end
  local aside = string.format('%s.new%d', path, os.time())
  local file, why = io.open(aside, 'wb')
  if not file then cannot(path, why) end
  local fine
  fine, why = file:write(text)
  if fine then fine, why = file:close() else file:close() end
  if fine then fine, why = os.rename(aside, path) end
  if not fine then
    os.remove(aside)
    cannot(path, why)
  end
end

-- Calls a function with the name of a folder that goes when it returns.
function files.scratch(use)
  local pipe = io.popen 'mktemp -d'
  local folder = pipe:read 'l'
  pipe:close()
  if not folder then cannot('a temporary folder', 'the disk may be full') end
  local results = table.pack(pcall(use, folder))
  os.execute('rm -rf ' .. files.quoted(folder))
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

return files
