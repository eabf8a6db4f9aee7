-- What slides take from chapters: the text of a drawing or a table, by its id,
-- and the chapter's own results.
local files = require 'common.files'
local labels = require 'text.labels'
local quoted = { blocks = {}, chapters = {} }

local function remember(id, lines, first, last, chapter)
  quoted.blocks[id] = { text = table.concat(lines, '\n', first, last) .. '\n',
    file = chapter.file, line = first, results = chapter.results }
end

-- The last line of the fenced block that begins here.
local function end_of_fence(lines, first)
  local fence = lines[first]:match '^`+'
  for number = first + 1, #lines do
    if lines[number]:sub(1, #fence) == fence then return number end
  end
  return #lines
end

-- The first line of the pipe table above its caption.
local function begin_of_table(lines, caption)
  local first = caption
  while first > 1 and (lines[first - 1] == '' and first == caption or
      lines[first - 1]:find '^|') do
    first = first - 1
  end
  return first
end

local function find_blocks(chapter)
  local lines = files.lines(files.text(chapter.file))
  for number, line in ipairs(lines) do
    local id = line:match '{[^}]*#(%l+%-[%w-]+)'
    if id and line:find '^```+{' then
      remember(id, lines, number, end_of_fence(lines, number), chapter)
    elseif id and line:find '^!%[' then
      remember(id, lines, number, number, chapter)
    elseif id and line:find '^: ' then
      remember(id, lines, begin_of_table(lines, number), number, chapter)
    end
  end
end

-- Reads the chapters' texts; list: those of book.yaml.
function quoted.find(list)
  for _, entry in ipairs(list) do
    local chapter = { file = 'chapters/' .. entry.file,
      results = entry.results }
    local title, id = files.text(chapter.file):match
      '^# ([^\n]-) *{#(ch%-[%w-]+)}'
    local mark = entry.file:match '^%d+' or entry.file:match '^%u'
    if id then
      mark = tonumber(mark) and tostring(tonumber(mark)) or mark
      chapter.name = tonumber(mark) and 'Chapter ' .. mark
        or 'Appendix ' .. mark
      if mark == '0' then chapter.name = title end
      quoted.chapters[id] = chapter
      labels.define(id, { text = chapter.name, page = chapter.file },
        { file = chapter.file, line = 1 })
      find_blocks(chapter)
      local notes = 'chapters/notes/' .. entry.file
      if files.exists(notes) then
        find_blocks { file = notes, results = entry.results }
      end
    end
  end
end

return quoted
