-- Reads all chapters of a book, each with the results that are its own.
local back_matter = require 'assemble.back_matter'
local chapter = require 'read.chapter'
local results = require 'data.results'
local widgets = require 'figures.widgets'

-- The pages, in order. here: the folder of the book's programs.
return function(book, here)
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
