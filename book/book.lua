-- The book: a pandoc filter that reads the chapters once, and writes its own
-- files to the folder BOOK_OUT of the environment: html/ with the pages, and,
-- unless BOOK_FORMATS is html, the EPUB in it, print.html for the PDF, and the
-- name of both in the file name. Or, where it is slides, pages/ with these; or,
-- where BOOK_PAGE names a file of chapters/, html/ with its pages alone.
-- Fails when anything is wrong.
local here = PANDOC_SCRIPT_FILE:match('^(.*)/[^/]*$') or '.'
package.path = here .. '/lib/?.lua;' .. here .. '/?.lua;' .. package.path
-- To look for what may be forgotten would take a tenth of the time.
collectgarbage('stop')

local back_matter = require 'assemble.back_matter'
local budget = require 'write.budget'
local page_html = require 'write.page_html'
local chapter = require 'read.chapter'
local book_yaml = require 'read.book_yaml'
local coverage = require 'code.coverage'
local epub = require 'write.epub'
local files = require 'common.files'
local inlines = require 'read.inlines'
local posters = require 'figures.posters'
local labs = require 'data.labs'
local html_pages = require 'write.html_pages'
local print_page = require 'write.print_page'
local chapters = require 'assemble.chapters'
local report = require 'common.report'
local results = require 'data.results'
local slides = require 'slides.slides'

local function template(name)
  return files.text(here .. '/templates/' .. name)
end

-- The bodies of these pages, and all formulas.
local function bodies_of(...)
  for _, pages in ipairs { ... } do page_html.resolve(pages) end
  local math = page_html.formulas(inlines.formulas)
  report.stop_on_errors('the book is not built.')
  for _, pages in ipairs { ... } do page_html.write(pages) end
  return math
end

local function one_chapter(book, file, out)
  local new, list = chapters.one(book, file)
  html_pages.write_some(book, new, list, bodies_of(new), out, template)
  budget(new)
end

function Pandoc(document)
  local book = book_yaml.read(document.meta)
  chapter.for_students = os.getenv('BOOK_STUDENT') == '1'
  results.draft = os.getenv('BOOK_DRAFT') == '1'
  if results.draft then
    book.name = book.name .. '-draft'
    book.subtitle = 'Draft: what is marked stale is to be measured again. '
      .. book.subtitle
  end
  if chapter.for_students then book.name = book.name .. '-students' end
  local out, one = os.getenv('BOOK_OUT'), os.getenv('BOOK_PAGE')
  if one then return one_chapter(book, one, out .. '/html') end
  local list = chapters.read(book)
  if os.getenv('BOOK_FORMATS') == 'slides' then return slides(book, list) end
  book.landing = chapter.read('chapters/' .. book.landing, 'index.html')
  local told = chapters.lines(book)
  coverage.check(book.chapter_of)
  labs.check()
  back_matter.add(list, book, chapter.answers, chapter.read)
  local pages = table.move(list, 1, #list, 2, { book.landing })
  local math = bodies_of(pages, told)
  book.all_formats = os.getenv('BOOK_FORMATS') ~= 'html'
  book.site = (os.getenv('BOOK_SITE') or ''):match('^(.-)/*$')
  if book.site == '' then book.site = nil end
  if book.all_formats then
    local drawing = page_html.first_drawing(book.landing)
    files.write(out .. '/print.html',
      print_page(book, list, math, template('print.html')))
    files.write(out .. '/html/' .. book.name .. '.epub',
      epub(document.meta, book, list, drawing, out))
    files.write(out .. '/name', book.name .. '\n')
    files.write(out .. '/picture.svg', posters.share(book, drawing))
  end
  budget(list)
  html_pages.write(book, list, math, out .. '/html', template)
  chapters.keep(pages)
  files.keep_answers(out .. '/cache')
end
