-- chapters/book.yaml: the one list of chapters, for every output format.
local files = require 'common.files'
local kernels = require 'code.kernels'
local report = require 'common.report'
local book_yaml = {}

local PATH = 'chapters/book.yaml'
local BOOK_KEYS = { title = true, subtitle = true, description = true,
                    language = true, results = true, chapters = true,
                    sources = true, name = true, identifier = true,
                    back = true, cover = true, landing = true }
local LISTS = { chapters = true, sources = true, back = true, cover = true }
local CHAPTER_KEYS = { file = true, title = true, stage = true,
                       results = true, was = true }
local SOURCE_KEYS = { id = true, short = true, text = true, url = true,
                      why = true }

local text_of = pandoc.utils.stringify

-- An entry of a list: only known keys, and all that are needed.
local function entry_of(value, known, needed, what)
  local entry = {}
  if type(value) ~= 'table' or value[1] then
    return report.line(PATH, nil, 'each of %s needs "%s: ..."', what, needed[1])
  end
  for key, item in pairs(value) do
    entry[key] = text_of(item)
    if not known[key] then
      report.line(PATH, files.line_of(PATH, key .. ':'),
        'there is no key "%s" in %s', key, what)
    end
  end
  for _, key in ipairs(needed) do
    if not entry[key] then
      return report.line(PATH, nil, 'one of %s has no "%s"', what, key)
    end
  end
  return entry
end

-- before: the file that is listed last, or nil.
local function check_chapter(entry, seen, before)
  local line = files.line_of(PATH, entry.file)
  if before and before > entry.file and not seen[entry.file] then
    report.line(PATH, line, '%s stands behind %s: files are numbered in '
      .. 'reading order, and appendices have letters', entry.file, before)
  end
  if seen[entry.file] then
    report.line(PATH, line, 'chapter %s is listed twice', entry.file)
  elseif not files.exists('chapters/' .. entry.file) then
    report.line(PATH, line, 'there is no file chapters/%s', entry.file)
  else
    seen[entry.file] = true
    if entry.stage and not files.exists(kernels.path(entry.stage)) then
      report.line(PATH, line, 'there is no file %s/kernel.cu', entry.stage)
    end
    return true
  end
end

-- The names of the pages behind the chapters, all of chapters/back.
local function back_pages(list)
  local names, seen = {}, {}
  for _, value in ipairs(list or {}) do
    local name = text_of(value)
    if not files.exists('chapters/back/' .. name) then
      report.line(PATH, files.line_of(PATH, '- ' .. name),
        'there is no file chapters/back/%s', name)
    else
      names[#names + 1], seen[name] = name, true
    end
  end
  for _, name in ipairs(files.matching('chapters/back/(.*)')) do
    if not seen[name] then
      report.line('chapters/back/' .. name, nil,
        'this page is not in "back" of book.yaml')
    end
  end
  return names
end

-- The book's description: {title, ..., chapters = {{file, stage}}, back,
-- sources}.
function book_yaml.read(meta)
  local book = { chapters = {}, sources = {}, chapter_of = {},
    cover = {} }
  for key, value in pairs(meta) do
    if not BOOK_KEYS[key] then
      report.line(PATH, files.line_of(PATH, key .. ':'),
        'there is no key "%s"', key)
    elseif not LISTS[key] then
      book[key] = text_of(value)
    end
  end
  for _, key in ipairs { 'title', 'results', 'name', 'identifier' } do
    if not book[key] then report.line(PATH, 1, 'the book has no "%s"', key) end
  end
  if not (book.name or 'x'):match('^[%w-]+$') then
    report.line(PATH, files.line_of(PATH, 'name:'),
      'the name is for files: letters, digits and "-"')
  end
  if not files.exists('chapters/' .. (book.landing or '')) then
    report.line(PATH, files.line_of(PATH, 'landing:') or 1, book.landing
      and 'there is no file chapters/%s' or 'the book has no "landing"',
      book.landing)
    book.landing = nil
  end
  book.results = (book.results or ''):gsub('/$', '')
  local seen = {}
  for _, value in ipairs(meta.chapters or {}) do
    local entry = entry_of(value, CHAPTER_KEYS, { 'file' }, 'chapters')
    local last = book.chapters[#book.chapters]
    if entry and check_chapter(entry, seen, last and last.file) then
      table.insert(book.chapters, entry)
      if book.chapter_of[entry.stage or ''] then
        report.line(PATH, files.line_of(PATH, entry.file),
          '%s has a chapter already', entry.stage)
      elseif entry.stage then
        book.chapter_of[entry.stage] = 'chapters/' .. entry.file
      end
    end
  end
  for _, value in ipairs(meta.sources or {}) do
    table.insert(book.sources,
      entry_of(value, SOURCE_KEYS, { 'id', 'short', 'text' }, 'sources'))
  end
  for index, value in ipairs(meta.cover or {}) do
    book.cover[index] = text_of(value)
  end
  book.back = back_pages(meta.back)
  for _, name in ipairs(files.matching('chapters/([^/]*%.md)')) do
    if not seen[name] then
      report.line('chapters/' .. name, nil, 'this chapter is not in book.yaml')
    end
  end
  for _, name in ipairs(files.matching('chapters/notes/(.*)')) do
    if not seen[name] then
      report.line('chapters/notes/' .. name, nil,
        'there is no chapter of this name, to which these notes would belong')
    end
  end
  if #book.chapters == 0 then
    report.line(PATH, 1, 'the book has no chapters')
  end
  return book
end

return book_yaml
