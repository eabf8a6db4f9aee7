-- The slides: a pandoc filter that reads workshop/slides, and writes its own
-- files to the folder pages/ of BOOK_OUT. Fails when anything is wrong.
local here = PANDOC_SCRIPT_FILE:match('^(.*)/[^/]*$') or '.'
package.path = here .. '/?.lua;' .. here .. '/../lib/?.lua;' .. package.path
collectgarbage('stop')

local back_matter = require 'assemble.back_matter'
local book_yaml = require 'read.book_yaml'
local deck = require 'deck'
local files = require 'common.files'
local page_html = require 'write.page_html'
local inlines = require 'read.inlines'
local pages = require 'pages'
local quoted = require 'quoted'
local report = require 'common.report'
local results = require 'data.results'
local drawing = require 'figures.drawing'

local function theme(name)
  return assert(io.open(here .. '/' .. name)):read('a')
end

function Pandoc(document)
  local book = book_yaml.read(document.meta)
  report.stop_on_errors('the slides are not built.')
  results.folder = book.results
  drawing.widget_script = here .. '/../widget-picture.js'
  back_matter.define_sources(book.sources)
  quoted.find(book.chapters)
  local slides = deck.read()
  local math = page_html.formulas(inlines.formulas, here .. '/../katex.js')
  report.stop_on_errors('the slides are not built.')
  local out = os.getenv('BOOK_OUT')
  local function styles(name)
    return files.text(out .. '/book.css') .. theme('slide.css') .. theme(name)
      .. (#math > 0 and files.text(out .. '/katex.css') or '')
  end
  local for_students = os.getenv('BOOK_STUDENT') == '1'
  local body = pages.body(book, slides, math, not for_students)
  files.write(out .. '/pages/slides.html', pages.fill(book, body,
    theme('slides.html'), styles('screen.css'), theme('slides.js')))
  files.write(out .. '/pages/handout.html', pages.fill(book, pages.framed(body),
    theme('handout.html'), styles('handout.css')))
end
