-- Answers that take long to find, from the file that the last build left, named
-- in the environment as BOOK_CACHE: questions and answers, each ended by a zero
-- byte.
local files = require 'common.files'
local cache = {}
local known, used = nil, {}

local function read_known()
  local path = os.getenv('BOOK_CACHE')
  known = {}
  local text = path and files.text(path) or ''
  for question, answer in text:gmatch('([^%z]*)%z([^%z]*)%z') do
    known[question] = answer
  end
end

-- The answer to a question; find() is called where it is not known, and may not
-- know either. The question holds all that the answer depends on.
function cache.answer(question, find)
  if not known then read_known() end
  used[question] = used[question] or known[question] or find()
  return used[question]
end

-- What a script of the tree says, or nil where it fails. sources: the
-- files that it reads.
function cache.said(script, arguments, sources)
  local command, texts = { script, table.unpack(arguments) }, {}
  for index, path in ipairs { script, table.unpack(sources) } do
    texts[index] = path .. '\n' .. (files.text(path) or '')
  end
  return cache.answer(table.concat(command, ' ') .. '\n'
    .. pandoc.utils.sha1(table.concat(texts, '\n')), function()
      local ran, said = pcall(pandoc.pipe, script, arguments, '')
      return ran and said or nil
    end)
end

-- Writes what this build used to a file, for the next.
function cache.write(path)
  local questions, parts = {}, {}
  for question, answer in pairs(used) do
    if not (question:find('\0', 1, true) or answer:find('\0', 1, true)) then
      questions[#questions + 1] = question
    end
  end
  table.sort(questions)
  for _, question in ipairs(questions) do
    parts[#parts + 1] = question .. '\0' .. used[question] .. '\0'
  end
  files.write(path, table.concat(parts))
end

return cache
