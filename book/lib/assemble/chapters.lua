-- Reads all chapters of a book, each with the results that are its own.
local back_matter = require 'assemble.back_matter'
local chapter = require 'read.chapter'
local drawing = require 'figures.drawing'
local inlines = require 'read.inlines'
local files = require 'common.files'
local report = require 'common.report'
local results = require 'data.results'
local chapters = {}

local function paragraph(words, page)
  return pandoc.Para { pandoc.Str(words), pandoc.Space(),
    inlines.link_to(page.id, 'xref'), pandoc.Str('.') }
end

-- The notes of a chapter, or nil: a page that it ends with a link to.
local function notes_of(page, name)
  local path = 'chapters/notes/' .. name .. '.md'
  if not files.exists(path) then return nil end
  local notes = chapter.read(path, name .. '-notes.html')
  if notes.id and page.id then
    page.blocks:insert(paragraph('Proofs, tables and what did not work:',
      notes))
    notes.blocks:insert(2, paragraph('These are the notes to', page))
  end
  notes.of, page.notes = page, notes
  return notes
end

-- The pages, in order, all notes last. here: the folder of the book's programs.
function chapters.read(book, here)
  results.folder = book.results
  drawing.widget_script = here .. '/widget-picture.js'
  chapter.answers_page = back_matter.ANSWERS
  back_matter.define_sources(book.sources)
  local list, notes = {}, {}
  for _, entry in ipairs(book.chapters) do
    local name = entry.file:gsub('%.md$', '')
    results.part = entry.results
    local page = chapter.read('chapters/' .. entry.file, name .. '.html')
    page.title, page.stage = entry.title or page.title, entry.stage
    page.was = entry.was
    list[#list + 1] = page
    notes[#notes + 1] = notes_of(page, name)
  end
  results.part = nil
  return table.move(notes, 1, #notes, #list + 1, list)
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
