-- The chapter of a lab, and where in it a reader finds what he is to write.
local files = dofile 'tools/labs/files.lua'
local folder_of = dofile 'tools/source/folder.lua'
local programs = dofile 'tools/labs/programs.lua'
local chapter = {}

-- Its path, or nil.
function chapter.of(lab)
  for path in (programs.answer 'ls chapters/*.md' or ''):gmatch '[^\n]+' do
    local heading = files.read(path):match '^[^\n]*'
    if heading:find('{#' .. lab.chapter .. '}', 1, true) then return path end
  end
end

-- Whether a line begins a listing of a region that the lab empties, or what
-- has changed there.
local function lists(line, lab)
  local regions = line:match '^```{.*region="([^"]*)"'
  local file = 'file="' .. folder_of(lab.stage) .. '/' .. lab.file .. '"'
  if not regions or not line:find(file, 1, true) and
      not line:find(' stage="' .. lab.stage .. '"', 1, true) then
    return false
  end
  for _, region in ipairs(lab.empties) do
    if (' ' .. regions .. ' '):find(' ' .. region .. ' ', 1, true) then
      return true
    end
  end
end

-- The heading under which the chapter first prints the reader's part, or nil.
function chapter.prints_from(lab, path)
  local heading
  for line in files.read(path):gmatch '[^\n]+' do
    heading = line:match '^##+ (.*)' or heading
    if heading and lists(line, lab) then
      return (heading:gsub('%s*{#[^}]*}$', ''))
    end
  end
end

return chapter
