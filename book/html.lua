-- The book as HTML pages; a pandoc filter that writes its own files to the
-- folder BOOK_OUT of the environment, and fails when anything is wrong.
local here = PANDOC_SCRIPT_FILE:match('^(.*)/[^/]*$') or '.'
package.path = here .. '/lib/?.lua;' .. package.path

local back_matter = require 'back_matter'
local chapter = require 'chapter'
local config = require 'config'
local coverage = require 'coverage'
local drawing = require 'drawing'
local formulas = require 'formulas'
local inlines = require 'inlines'
local listing = require 'listing'
local pages = require 'pages'
local report = require 'report'
local results = require 'results'

local function stop_on_errors()
  local count = report.print()
  if count > 0 then
    io.stderr:write(count == 1 and '1 error: the book is not built.\n'
      or count .. ' errors: the book is not built.\n')
    os.exit(1)
  end
end

function Pandoc(document)
  local book = config.read(document.meta)
  results.folder = book.results
  chapter.answers_page = back_matter.ANSWERS
  back_matter.define_sources(book.sources)
  local list = {}
  for _, entry in ipairs(book.chapters) do
    local name = entry.file:gsub('%.md$', '.html')
    results.part = entry.results
    local page = chapter.read('chapters/' .. entry.file, name)
    page.title = entry.title or page.title
    list[#list + 1] = page
  end
  coverage.check(book.chapter_of)
  coverage.check_unused('(chapters/output/.*)', listing.outputs)
  coverage.check_unused('(chapters/figures/.*)', drawing.used)
  back_matter.add(list, chapter.answers, inlines.terms, book.sources)
  pages.resolve(list)
  local math = formulas.html(inlines.formulas, here .. '/katex.js')
  stop_on_errors()
  local template = assert(io.open(here .. '/theme/page.html')):read('a')
  pages.write(book, list, math, os.getenv('BOOK_OUT'), template)
end
