-- chapters/book.yaml: the one list of chapters, for every output format.
local files = require 'common.files'
local report = require 'common.report'
local book_yaml = {}

-- The texts of an object, which has those that it needs.
local function texts_of(object, needed)
  local texts = {}
  for key, value in pairs(object) do
    if pandoc.utils.type(value) ~= 'List' then
      texts[key] = pandoc.utils.stringify(value)
    end
  end
  for key in needed:gmatch('%l+') do
    if not texts[key] then
      report.line('chapters/book.yaml', nil, 'an entry lacks "%s"', key)
      report.stop_on_errors('nothing is built.')
    end
  end
  return texts
end

-- Files that a pattern finds are those of names; or else what is said of each.
local function check_all(pattern, names, what)
  for _, path in ipairs(files.matching('(' .. pattern .. ')')) do
    if not names[path:match('[^/]+$')] then report.line(path, nil, what) end
  end
end

-- The book's description: its texts, and {chapters, chapter_of, back, sources}.
function book_yaml.read(meta)
  local book = texts_of(meta,
    'title subtitle description landing name identifier results')
  local seen, behind = {}, {}
  book.chapter_of = {}
  book.chapters = pandoc.List(meta.chapters):map(function(value)
    local entry = texts_of(value, 'file')
    seen[entry.file] = true
    if entry.stage then
      book.chapter_of[entry.stage] = 'chapters/' .. entry.file
    end
    return entry
  end)
  book.sources = pandoc.List(meta.sources):map(function(value)
    return texts_of(value, 'id short text')
  end)
  book.back = pandoc.List(meta.back):map(pandoc.utils.stringify)
  for _, name in ipairs(book.back) do behind[name] = true end
  check_all('chapters/back/.*', behind,
    'this page is not in "back" of book.yaml')
  check_all('chapters/[^/]*%.md', seen, 'this chapter is not in book.yaml')
  check_all('chapters/notes/.*', seen,
    'there is no chapter of this name, to which these notes would belong')
  return book
end

return book_yaml
