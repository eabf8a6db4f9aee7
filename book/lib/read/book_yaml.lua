-- chapters/book.yaml: the one list of chapters, for every output format.
local files = require 'common.files'
local kernels = require 'data.kernels'
local report = require 'common.report'
local book_yaml = {}

local PATH = 'chapters/book.yaml'
-- What the book, and each of what it lists, must say.
local NEEDED = {
  book = 'title subtitle description landing name identifier results',
  chapters = 'file', sources = 'id short text' }

-- The texts of an object; nil where one that it needs is missing.
local function texts_of(object, what)
  local texts, fine = {}, true
  for key, value in pairs(object) do
    if pandoc.utils.type(value) ~= 'List' then
      texts[key] = pandoc.utils.stringify(value)
    end
  end
  for key in NEEDED[what]:gmatch('%l+') do
    if not texts[key] then
      fine = report.line(PATH, 1, '"%s" has no "%s"', what, key)
    end
  end
  return fine and texts
end

local function is_there(path, text)
  if files.exists(path) then return true end
  report.line(PATH, files.line_of(PATH, text), 'there is no file %s', path)
end

-- Files that a pattern finds are those of names; or else what is said of each.
local function check_all(pattern, names, what)
  for _, path in ipairs(files.matching('(' .. pattern .. ')')) do
    if not names[path:match('[^/]+$')] then report.line(path, nil, what) end
  end
end

-- Adds a chapter to the book.
local function add_chapter(book, entry, seen)
  if not is_there('chapters/' .. entry.file, entry.file) then return end
  seen[entry.file] = true
  table.insert(book.chapters, entry)
  if not entry.stage then return end
  is_there(kernels.path(entry.stage), entry.file)
  book.chapter_of[entry.stage] = 'chapters/' .. entry.file
end

-- The book's description: its texts, and {chapters, chapter_of, back, sources}.
function book_yaml.read(meta)
  local book = texts_of(meta, 'book')
    or report.stop_on_errors('nothing is built.')
  book.chapters, book.chapter_of, book.sources = {}, {}, {}
  book.back = {}
  if not is_there('chapters/' .. book.landing, 'landing:') then
    report.stop_on_errors('nothing is built.')
  end
  local seen, behind = {}, {}
  for _, value in ipairs(meta.chapters or {}) do
    local entry = texts_of(value, 'chapters')
    if entry then add_chapter(book, entry, seen) end
  end
  for _, value in ipairs(meta.sources or {}) do
    table.insert(book.sources, texts_of(value, 'sources') or nil)
  end
  for _, value in ipairs(meta.back or {}) do
    local name = pandoc.utils.stringify(value)
    if is_there('chapters/back/' .. name, '- ' .. name) then
      table.insert(book.back, name)
      behind[name] = true
    end
  end
  check_all('chapters/back/.*', behind,
    'this page is not in "back" of book.yaml')
  check_all('chapters/[^/]*%.md', seen, 'this chapter is not in book.yaml')
  check_all('chapters/notes/.*', seen,
    'there is no chapter of this name, to which these notes would belong')
  return book
end

return book_yaml
