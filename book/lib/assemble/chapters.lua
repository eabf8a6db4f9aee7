-- Reads all chapters of a book, each with the results that are its own.
local back_matter = require 'assemble.back_matter'
local chapter = require 'read.chapter'
local report = require 'common.report'
local results = require 'data.results'
local widgets = require 'figures.widgets'
local chapters = {}

-- The pages, in order. here: the folder of the book's programs.
function chapters.read(book, here)
  results.folder = book.results
  widgets.script = here .. '/widget-picture.js'
  chapter.answers_page = back_matter.ANSWERS
  back_matter.define_sources(book.sources)
  local list = {}
  for _, entry in ipairs(book.chapters) do
    results.part = entry.results
    local page = chapter.read('chapters/' .. entry.file,
      (entry.file:gsub('%.md$', '.html')))
    page.title, page.stage = entry.title or page.title, entry.stage
    list[#list + 1] = page
  end
  results.part = nil
  return list
end

-- What the first page says before the list of chapters.
function chapters.landing(book)
  if not book.landing then return nil end
  local page = chapter.read('chapters/' .. book.landing, 'index.html')
  if page.title ~= book.title then
    report.line(page.file, 1, 'the title here is not that of book.yaml')
  end
  return page
end

return chapters
