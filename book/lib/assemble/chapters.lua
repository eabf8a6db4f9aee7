-- Reads all chapters of a book, each with the results that are its own; and
-- from chapters/lines what each region of a kernel does.
local back_matter = require 'assemble.back_matter'
local chapter = require 'read.chapter'
local coverage = require 'code.coverage'
local definition_lists = require 'read.definition_lists'
local files = require 'common.files'
local inlines = require 'read.inlines'
local kernels = require 'data.kernels'
local labels = require 'text.labels'
local sources = require 'code.sources'
local results = require 'data.results'
local terms = require 'text.terms'
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

-- The pages, in order, all notes last.
function chapters.read(book)
  results.folder, results.also = book.results, book.also
  chapter.answers_page = back_matter.ANSWERS
  back_matter.define_sources(book.sources)
  local list, notes = {}, {}
  for _, entry in ipairs(book.chapters) do
    local name = entry.file:gsub('%.md$', '')
    results.part = entry.results
    local page = chapter.read('chapters/' .. entry.file, name .. '.html')
    page.stage, page.was, page.results = entry.stage, entry.was, entry.results
    list[#list + 1] = page
    notes[#notes + 1] = notes_of(page, name)
  end
  results.part = nil
  return table.move(notes, 1, #notes, #list + 1, list)
end

local KEPT = { 'page', 'title', 'number', 'id', 'sections', 'stage', 'file' }

-- Keeps what one page needs to know of all others.
function chapters.keep(list)
  local pages = pandoc.List(list):map(function(page)
    local kept = { of = page.of and page.of.page, source_page =
      page.source_page and { page = page.source_page.page,
        path = page.source_page.path } }
    for _, key in ipairs(KEPT) do kept[key] = page[key] end
    return kept
  end)
  files.keep('whole', { pages = pages, labels = labels.by_id,
    terms = inlines.terms })
end

-- Reads one chapter, file, and its notes. Returns them, and all pages as the
-- last build of the whole book had them, with these in their places.
function chapters.one(book, file)
  local whole, by_page, meanings = files.kept('whole'), {}, {}
  local function is_other(thing)
    return files.chapter((thing.where or thing).file) ~= 'chapters/' .. file
  end
  for id, label in pairs(whole.labels) do
    if is_other(label) and labels.kind(id) ~= 'src' then
      labels.by_id[id] = label
    end
  end
  inlines.terms = pandoc.List(whole.terms):filter(is_other)
  book.chapters = book.chapters:filter(function(entry)
    return entry.file == file
  end)
  local new = chapters.read(book)
  for _, page in ipairs(new) do by_page[page.page] = page end
  for _, term in ipairs(whole.terms) do meanings[term.text] = term.meaning end
  local known, list = {}, pandoc.List {}
  for _, kept in ipairs(whole.pages) do
    local page = by_page[kept.page] or kept
    page.source_page, page.of = kept.source_page, by_page[kept.of]
    if page.of then page.of.notes = page end
    if page ~= kept then terms.link(page.blocks, known) end
    by_page[kept.page] = page
    list:insert(page)
    for _, term in ipairs(inlines.terms) do
      term.meaning = meanings[term.text]
      if term.page == page.page and term.meaning then
        known[#known + 1] = term
      end
    end
  end
  return new, list
end

-- The sentences of a stage: for each region {page, id, blocks, ...}.
local function sentences(stage, path, entry)
  local kernel, things, told = kernels.path(stage), {}, {}
  local context = chapter.context(path, kernels.page(kernel))
  for name, region in pairs(sources.of(kernel).regions) do
    things[name] = { file = kernel, line = region.line }
  end
  results.part = entry.results
  local list = definition_lists.read(
    { content = inlines.read(files.text(path)) }, context)
  results.part = nil
  definition_lists.compare('region', list, things, path)
  for _, item in ipairs(list) do
    told[item.name] = { page = context.page, id = 'r-' .. item.name,
      blocks = item.blocks, file = 'chapters/' .. entry.file, about = item.name,
      title = 'Stage ' .. stage:match('%d+') .. ', line by line' }
  end
  return told
end

-- The sentences of all stages that have any, as pages to be resolved and
-- written.
function chapters.lines(book)
  local pages = {}
  for _, entry in ipairs(book.chapters) do
    local path = 'chapters/lines/' .. (entry.stage or '') .. '.md'
    if files.exists(path) then
      local told = sentences(entry.stage, path, entry)
      coverage.told[kernels.path(entry.stage)] = told
      for _, sentence in pairs(told) do pages[#pages + 1] = sentence end
    end
  end
  return pages
end

return chapters
