-- A folder of the reader's with his kernel in it, whatever he is to do there:
-- nothing that he wrote is ever lost.
local files = dofile 'tools/labs/files.lua'
local stop = files.stop
local folders = {}

-- `name` is the goal of make that it belongs to, `skeleton` how that is called
-- which the reader begins with, `file` the name of what is his.
function folders.of(name, skeleton, file)
  local folder = {name = name,
    path = (os.getenv 'MINE' or 'mine') .. '/' .. name}
  local kernel = folder.path .. '/' .. file
  folder.kernel = kernel

  function folder.need_kernel()
    return files.read(kernel) or
      stop("There is no %s yet: 'make %s' lays it out.", kernel, name)
  end

  -- How many were given is kept beside the kernel.
  function folder.hint(hints)
    folder.need_kernel()
    local given = tonumber(files.read(folder.path .. '/hints') or '') or 0
    local number = math.max(1, math.min(given + 1, #hints))
    print(string.format('Hint %d of %d:', number, #hints))
    io.write(hints[number])
    files.write(folder.path .. '/hints', number .. '\n')
  end

  -- An attempt is a grade of something else than what was laid out.
  local function attempted()
    local text = files.read(folder.path .. '/grade.json')
    if not text then
      stop("The solution comes after an attempt: 'make %s grade' first.", name)
    end
    local fine, grade = pcall(pandoc.json.decode, text, false)
    if not fine or type(grade) ~= 'table' or grade.attempt == nil then
      stop("%s/grade.json is no whole grade: 'make %s grade' writes it anew.",
        folder.path, name)
    end
    if not grade.attempt then
      stop('What was graded is the %s: try first, then ask for the solution.',
        skeleton)
    end
  end

  function folder.solution(book)
    folder.need_kernel()
    attempted()
    files.scratch(function(scratch)
      files.write(scratch .. '/book', book)
      if os.execute(string.format('diff -u --label %s --label %s %s %s',
          files.quoted(kernel), files.quoted("the book's"),
          files.quoted(kernel), scratch .. '/book')) then
        print('Yours is what the book has, word for word.')
      end
    end)
  end

  function folder.reset(text)
    local before = folder.need_kernel()
    local number = 1
    while files.read(kernel .. '.' .. number) do number = number + 1 end
    local kept = kernel .. '.' .. number
    -- The old one lies in safety before the new one takes its place.
    files.write(kept, before)
    files.write(kernel, text)
    print(string.format('%s is the %s again; what was there is %s.', kernel,
      skeleton, kept))
  end
  return folder
end

return folders
