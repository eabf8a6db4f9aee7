-- The pages behind the chapters: the answers, and those of chapters/back, whose
-- lists are held against what there is.
local definition_lists = require 'read.definition_lists'
local files = require 'common.files'
local format = require 'common.format'
local inlines = require 'read.inlines'
local labels = require 'text.labels'
local report = require 'common.report'
local results = require 'data.results'
local terms = require 'text.terms'
local back_matter = { ANSWERS = 'answers.html', SOURCES = 'sources.html' }

-- The recorded runs, by the command that made each: ::: {.runs} with a
-- definition list of the kinds of files, whose last code is the command.
local run_folder

local function last_code(blocks)
  local code = ''
  pandoc.Blocks(blocks):walk { Code = function(element)
    code = element.text
  end }
  return code
end

local function runs_block(block, context)
  local list = definition_lists.read(block, context)
  local words = pandoc.List { run_folder }
  for _, entry in ipairs(list) do
    words:extend { entry.name, last_code(entry.blocks) }
  end
  local runs = files.said('../book/runs.py', words,
    files.matching '(results/.*)')
  for fault in runs:gmatch '! ([^\n]+)' do report.at(context, '%s', fault) end
  context.fixed_line = context.line
  local shown = context.blocks(inlines.read(runs:gsub('! [^\n]+', '')), context)
  context.fixed_line = nil
  return pandoc.List { definition_lists.definitions(list) } .. shown
end

local YAML = 'chapters/book.yaml'
local sources = {}

-- Sources are known before the chapters are read, for these refer to them.
function back_matter.define_sources(list)
  sources = list
  for _, source in ipairs(sources) do
    local where = { file = YAML, line = files.line_of(YAML, source.id) }
    labels.check_kind(source.id, 'src', where)
    labels.define(source.id,
      { text = source.short, page = back_matter.SOURCES }, where)
  end
end

-- One entry a source: what it is, where it is cited or why to read it.
local function source_list(list, context)
  return pandoc.List(sources):map(function(source)
    local cited = pandoc.List {}
    for _, page in ipairs(list) do
      if (inlines.cited[source.id] or {})[page.page] then
        cited:extend { pandoc.Str(#cited > 0 and ',' or ''), pandoc.Space(),
          inlines.link_to(page.id, 'xref') }
      end
    end
    local text = pandoc.List { pandoc.RawInline('html', string.format(
      '<span id="%s"><b>%s</b></span> %s ', format.escape(source.id),
      format.escape(source.short), format.escape(source.text))) }
    if source.url then
      text:extend { pandoc.Link({ pandoc.Str(source.url) }, source.url),
        pandoc.Space() }
    end
    text:extend(inlines.of_attribute(source.why or '', context))
    if #cited > 0 then
      text:extend(pandoc.Inlines ' Cited in' .. cited .. { pandoc.Str('.') })
    end
    return pandoc.Para(text)
  end)
end

local function answers_page(answers)
  answers:insert(1, pandoc.Header(1, { pandoc.Str('Answers') },
    pandoc.Attr('answers')))
  labels.define('answers', { text = 'Answers', page = back_matter.ANSWERS },
    { file = YAML, line = 1 })
  return { page = back_matter.ANSWERS, id = 'answers', title = 'Answers',
    sections = {}, blocks = answers }
end

-- In each chapter behind that of its definition, the first use of a term leads
-- to the glossary.
local function link_terms(chapters)
  local known = {}
  for _, page in ipairs(chapters) do
    terms.link(page.blocks, known)
    for _, term in ipairs(inlines.terms) do
      if term.page == page.page and term.meaning then
        known[#known + 1] = term
      end
    end
  end
end

-- Adds to the list of chapters the pages behind them. book.back: the files;
-- read(path, page): reads one.
function back_matter.add(list, book, answers, read)
  local chapters = pandoc.List(list):clone()
  for _, page in ipairs(chapters) do
    definition_lists.chapter_ids[page.stage or ''] = page.id
  end
  run_folder = book.results
  definition_lists.kinds.runs = runs_block
  function definition_lists.kinds.sources(_, context)
    return source_list(chapters, context)
  end
  if #answers > 0 then table.insert(list, answers_page(answers)) end
  for _, name in ipairs(book.back) do
    table.insert(list, read('chapters/back/' .. name,
      (name:gsub('%.md$', '.html'))))
  end
  link_terms(chapters)
end

return back_matter
