-- Reading files and folders. Paths are relative to the root of the tree, which
-- is the working directory.
-- HERE: the folder of the book's programs.
local files = { HERE = package.path:match('([^;]*)lib/%?%.lua'),
  write = pandoc.system.write_file }
local texts, paths = {}, nil

-- The text of a file, or nil when it cannot be read.
function files.text(path)
  if texts[path] == nil then
    local fine, text = pcall(pandoc.system.read_file, path)
    texts[path] = fine and text
  end
  return texts[path] or nil
end

function files.exists(path) return files.text(path) ~= nil end

-- The lines of a text, without their ends.
function files.lines(text)
  local lines = {}
  if text ~= '' and text:sub(-1) ~= '\n' then text = text .. '\n' end
  if text:find('\r', 1, true) then text = text:gsub('\r\n', '\n') end
  for line in text:gmatch('([^\n]*)\n') do lines[#lines + 1] = line end
  return lines
end

-- The paths that a pattern matches as a whole, sorted; its captures take their
-- place.
function files.matching(pattern)
  local list = pandoc.List {}
  if not paths then
    paths = files.lines(pandoc.pipe('find', { '.', '(', '-name', '.git', '-o',
      '-path', './build', '-o', '-path', './.deps', ')', '-prune', '-o',
      '(', '-type', 'f', '-o', '-type', 'l', ')', '-printf', '%P\n' }, ''))
    table.sort(paths)
  end
  for _, path in ipairs(paths) do
    local found = path:match('^' .. pattern .. '$')
    if found then list[#list + 1] = found end
  end
  return list
end

-- The number of the first line that contains a plain text, or 1.
function files.line_of(path, plain)
  for number, line in ipairs(files.lines(files.text(path) or '')) do
    if line:find(plain, 1, true) then return number end
  end
  return 1
end

-- The file of the chapter: what its notes show, it shows.
function files.chapter(path) return (path:gsub('/notes/', '/')) end

-- Answers that take long to find, by their questions: those of the last build
-- are in the file that the environment names as BOOK_CACHE.
local known, used = nil, {}

-- What the last build has kept for a question.
function files.kept(question)
  known = known or pandoc.json.decode(
    files.text(os.getenv('BOOK_CACHE') or '') or '{}', false)
  return known[question]
end

function files.keep(question, answer) used[question] = answer end

-- The answer to a question; find() is called where it is not known, and may not
-- know either. The question holds all that the answer depends on.
function files.answer(question, find)
  used[question] = used[question] or files.kept(question) or find()
  return used[question]
end

-- What a script of tools/ says, or nil where it fails. sources: the files that
-- it reads.
function files.said(script, arguments, sources)
  script = files.HERE .. '../tools/' .. script
  local command, texts = { script, table.unpack(arguments) }, {}
  for index, path in ipairs { script, table.unpack(sources) } do
    texts[index] = path .. '\n' .. (files.text(path) or '')
  end
  return files.answer(table.concat(command, ' ') .. '\n'
    .. pandoc.utils.sha1(table.concat(texts, '\n')), function()
      local ran, said = pcall(pandoc.pipe, script, arguments, '')
      return ran and said or nil
    end)
end

-- Writes what this build used to a file, for the next.
function files.keep_answers(path)
  files.write(path, pandoc.json.encode(used))
end

return files
