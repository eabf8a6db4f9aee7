-- The book: a pandoc filter that reads the chapters once, and writes its own
-- files to the folder BOOK_OUT of the environment: html/ with the pages, and,
-- unless BOOK_FORMATS is html, print.html for the PDF, epub/ for the EPUB, and
-- the name of both in the file name. Fails when anything is wrong.
local here = PANDOC_SCRIPT_FILE:match('^(.*)/[^/]*$') or '.'
package.path = here .. '/lib/?.lua;' .. package.path

local back_matter = require 'back_matter'
local bodies = require 'bodies'
local chapter = require 'chapter'
local config = require 'config'
local cover = require 'cover'
local coverage = require 'coverage'
local drawing = require 'drawing'
local epub = require 'epub'
local files = require 'files'
local formulas = require 'formulas'
local inlines = require 'inlines'
local kept = require 'kept'
local listing = require 'listing'
local pages = require 'pages'
local print_page = require 'print_page'
local read = require 'reading'
local report = require 'report'

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
  local list = read(book, here)
  book.cover = cover.bars(book.cover)
  coverage.check(book.chapter_of, book.also_of)
  coverage.check_unused('(chapters/output/.*)', listing.outputs)
  coverage.check_unused('(chapters/figures/.*)', drawing.used)
  back_matter.add(list, book, chapter.answers, chapter.read)
  bodies.resolve(list)
  local math = formulas.html(inlines.formulas, here .. '/katex.js')
  stop_on_errors()
  bodies.write(list)
  local function theme(name)
    return assert(io.open(here .. '/theme/' .. name)):read('a')
  end
  local out = os.getenv('BOOK_OUT')
  book.all_formats = os.getenv('BOOK_FORMATS') ~= 'html'
  if book.all_formats then
    print_page.write(book, list, math, out, theme('print.html'))
    files.write(out .. '/page-is-there', 'go\n')
    epub.write(book, list, math, out .. '/epub', theme)
    files.write(out .. '/name', book.name .. '\n')
  end
  pages.write(book, list, math, out .. '/html', theme)
  kept.write(out .. '/kept')
end
