-- A pandoc filter that reads the chapters as the book does, and reports what a
-- reader would stumble over: misspelt words, long sentences, terms that a later
-- chapter explains, abbreviations that none does, listings that nothing
-- explains, chapters that take too long or have no drawing. What it writes to
-- BOOK_LINT says how long each takes. BOOK_WORDS: the words that the dictionary
-- lacks; BOOK_EARLY: "FILE TERM" lines, terms that may come early; BOOK_KNOWN:
-- abbreviations that every reader knows.
local here = PANDOC_SCRIPT_FILE:match('^(.*)/[^/]*$') or '.'
package.path = here .. '/lib/?.lua;' .. package.path

local chapter = require 'read.chapter'
local abbreviations = require 'text.abbreviations'
local around_listings = require 'text.around_listings'
local book_yaml = require 'read.book_yaml'
local files = require 'common.files'
local inlines = require 'read.inlines'
local language = require 'text.language'
local paragraphs = require 'text.paragraphs'
local chapters = require 'assemble.chapters'
local report = require 'common.report'

local function read_all(book)
  local list = chapters.read(book, here)
  chapters.landing(book)
  for _, name in ipairs(book.back) do
    chapter.read('chapters/back/' .. name, (name:gsub('%.md$', '.html')))
  end
  return list
end

-- The texts that stand in chapters.
local function of_chapters(texts, list)
  local pages, found = {}, {}
  for _, page in ipairs(list) do pages[page.page] = true end
  for _, text in ipairs(texts) do
    if pages[text.page or ''] then found[#found + 1] = text end
  end
  return found
end

function Pandoc(document)
  local list = read_all(book_yaml.read(document.meta))
  report.errors = {}  -- those of the book are the book's to report
  local texts = paragraphs.texts
  language.check_sentences(texts)
  language.check_terms(texts, list, inlines.terms, os.getenv('BOOK_EARLY'))
  language.check_spelling(texts, os.getenv('BOOK_WORDS'))
  abbreviations.check(of_chapters(texts, list), inlines.terms,
    os.getenv('BOOK_KNOWN'))
  local lines = {}
  for _, page in ipairs(list) do
    around_listings.check(page, language.is_hard)
    lines[#lines + 1] = language.reading_time(page, texts)
  end
  files.write(os.getenv('BOOK_LINT'), table.concat(lines))
  report.stop_on_errors('1 place to mend.', '%d places to mend.')
end
