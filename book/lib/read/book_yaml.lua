-- chapters/book.yaml: the one list of chapters, for every output format.
local files = require 'common.files'
local kernels = require 'data.kernels'
local report = require 'common.report'
local book_yaml = {}

local PATH = 'chapters/book.yaml'
-- The keys of the book and of what it lists; those with "!" are needed.
local KEYS = {
  book = 'title! results! also name! identifier! landing! subtitle description '
    .. 'language',
  chapters = 'file! title stage results was',
  sources = 'id! short! text! url why' }
local LISTS = pandoc.List { 'chapters', 'sources', 'back', 'cover' }

-- Of an object what is known, as texts; nil where something is missing.
local function texts_of(object, what)
  local entry, known, fine = {}, ' ' .. KEYS[what]:gsub('!', '') .. ' ', true
  for key, value in pairs(type(object) == 'table' and object or {}) do
    if known:find(' ' .. key .. ' ', 1, true) then
      entry[key] = pandoc.utils.stringify(value)
    elseif what ~= 'book' or not LISTS:includes(key) then
      report.line(PATH, files.line_of(PATH, key .. ':'),
        'there is no key "%s"%s', key, what == 'book' and '' or ' in ' .. what)
    end
  end
  for key in KEYS[what]:gmatch('(%l+)!') do
    if not entry[key] then
      fine = report.line(PATH, what == 'book' and 1 or nil, '%s has no "%s"',
        what == 'book' and 'the book' or 'one of ' .. what, key)
    end
  end
  return fine and entry, entry
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
  local line = files.line_of(PATH, entry.file)
  local last = book.chapters[#book.chapters]
  if not is_there('chapters/' .. entry.file, entry.file) then
    return
  elseif last and last.file > entry.file then
    report.line(PATH, line, '%s stands behind %s: files are numbered in '
      .. 'reading order, and appendices have letters', entry.file, last.file)
  end
  seen[entry.file] = true
  table.insert(book.chapters, entry)
  if not entry.stage then return end
  is_there(kernels.path(entry.stage), entry.file)
  book.chapter_of[entry.stage] = 'chapters/' .. entry.file
end

-- The book's description: its keys, and {chapters, chapter_of, back, sources,
-- cover}.
function book_yaml.read(meta)
  local _, book = texts_of(meta, 'book')
  book.chapters, book.chapter_of, book.sources = {}, {}, {}
  book.back, book.cover = {}, {}
  if not (book.name or 'x'):match('^[%w-]+$') then
    report.line(PATH, files.line_of(PATH, 'name:'),
      'the name is for files: letters, digits and "-"')
  end
  if not (book.landing and is_there('chapters/' .. book.landing, 'landing:'))
  then
    book.landing = nil
  end
  book.results = (book.results or ''):gsub('/$', '')
  local seen, behind = {}, {}
  for _, value in ipairs(meta.chapters or {}) do
    local entry = texts_of(value, 'chapters')
    if entry then add_chapter(book, entry, seen) end
  end
  for _, value in ipairs(meta.sources or {}) do
    table.insert(book.sources, texts_of(value, 'sources') or nil)
  end
  for index, value in ipairs(meta.cover or {}) do
    book.cover[index] = pandoc.utils.stringify(value)
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
  if #book.chapters == 0 then
    report.line(PATH, 1, 'the book has no chapters')
  end
  return book
end

return book_yaml
