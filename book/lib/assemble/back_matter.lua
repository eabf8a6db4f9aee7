-- The pages behind the chapters: the answers, and those of chapters/back, whose
-- lists are held against what there is.
local definition_lists = require 'read.definition_lists'
local files = require 'common.files'
local format = require 'common.format'
local inlines = require 'read.inlines'
local labels = require 'text.labels'
local makefiles = require 'data.makefiles'
local report = require 'common.report'
local results = require 'data.results'
local terms = require 'text.terms'
local back_matter = { ANSWERS = 'answers.html', SOURCES = 'sources.html' }

-- The recorded runs, by the command that made each: ::: {.runs} with a
-- definition list of the kinds of files, whose last code is the command. A
-- terminal's record in the same folder says it in full, and what the files say
-- of device, commit, date and tools is put beside it.
local run_folder

local function pattern_of(glob)
  return '^' .. glob:gsub('[%p]', '%%%0'):gsub('%%%*', '.*') .. '$'
end

local function last_code(blocks)
  local code
  pandoc.Blocks(blocks):walk { Code = function(element)
    code = element.text
  end }
  return code
end

local function meta_of(path)
  if not path:match('%.json$') then return {} end
  local data, wrong, line = results.read(path)
  if wrong then report.line(path, line, '%s', wrong) end
  return type(data) == 'table' and data.build_meta or {}
end

local function tool_of(compiler)
  local version = compiler:match('^Cuda compilation tools.*V([%d.]+)')
  return version and 'nvcc ' .. version or compiler
end

-- What a file says of where it comes from, in words.
local function origins(meta)
  local words, device = pandoc.List {}, meta.device or {}
  local function say(value, before, of)
    if value then words:insert(before .. (of and of(value) or value)) end
  end
  say(device.name, '', function(name)
    return name .. (device.driver and ', driver for CUDA ' .. device.driver
      or '')
  end)
  say(meta.date, '', function(date) return date:sub(1, 10) end)
  say(meta.commit, 'commit ')
  say(meta.compiler, '', tool_of)
  for _, name in ipairs(results.keys(meta.kernels or {}) or {}) do
    say(meta.kernels[name].compiler, '', tool_of)
  end
  say(meta.profiler, 'Nsight Compute ', function(profiler)
    return profiler:match('[%d.]+') or profiler
  end)
  say(meta.torch, 'PyTorch ')
  say(meta.cudnn, 'cuDNN ')
  return words
end

-- What one command made: {texts, files, shown, said}: its spellings, the files,
-- the terminals' records, and what the files say.
local function group_of(groups, text)
  if not groups[text] then
    groups[text] = { texts = { text }, files = pandoc.List {},
      shown = pandoc.List {}, said = pandoc.List {} }
    table.insert(groups, groups[text])
  end
  return groups[text]
end

local function add_file(group, path)
  group.files:insert(path:match('[^/]+$'))
  group.data = group.data or path:match('%.json$')
  for _, word in ipairs(origins(meta_of(path))) do
    if not group.said:includes(word) then group.said:insert(word) end
  end
end

local function sentence(word, names)
  local list = pandoc.List { pandoc.Str(word) }
  for index, name in ipairs(names) do
    if index > 1 then list:insert(pandoc.Str(',')) end
    list:extend { pandoc.Space(), pandoc.Code(name) }
  end
  list:extend { pandoc.Str('.'), pandoc.Space() }
  return #names > 0 and list or pandoc.List {}
end

local function group_blocks(group)
  local head, said = pandoc.List {}, table.concat(group.said, '; ')
  for index, text in ipairs(group.texts) do
    if index > 1 then head:insert(pandoc.LineBreak()) end
    head:insert(pandoc.Code(text))
  end
  if said == '' and group.data then
    said = 'device and commit were not recorded'
  end
  local list = sentence('Wrote', group.files)
  if said ~= '' then
    list:extend { pandoc.Str('(' .. said .. ')'), pandoc.Space() }
  end
  list:extend(sentence('The terminal is in', group.shown))
  return { head, { { pandoc.Plain(list) } } }
end

-- Commands that only a terminal's record shows, and one record, are one entry.
local function joined(groups)
  local list = pandoc.List {}
  for _, group in ipairs(groups) do
    local last = list[#list]
    if last and #group.files == 0 and #last.files == 0 and
        group.shown[1] == last.shown[1] then
      table.insert(last.texts, group.texts[1])
    else
      list:insert(group)
    end
  end
  return list
end

local function folder_blocks(folder, paths, kind_of)
  local groups, recorded = {}, {}
  for _, path in ipairs(paths) do
    if path:match('%.terminal%.txt$') then
      for _, command in ipairs(makefiles.commands_in(path)) do
        recorded[#recorded + 1] = command
        group_of(groups, command.text).shown:insert(path:match('[^/]+$'))
      end
    end
  end
  for _, path in ipairs(paths) do
    local kind = kind_of(path)
    if kind and kind.command then
      add_file(group_of(groups, makefiles.command_of(kind.command,
        meta_of(path), recorded)), path)
    end
  end
  return { pandoc.Header(3, { pandoc.Code(folder) }),
    pandoc.DefinitionList(joined(groups):map(group_blocks)) }
end

-- The names of the folders, and the files of each.
local function by_folder()
  local folders, list = pandoc.List {}, files.below(run_folder)
  for _, path in ipairs(files.matching('results/[^/]+%.%l+')) do
    if path ~= 'results/README.md' then table.insert(list, path) end
  end
  for _, path in ipairs(list) do
    local folder = path:match('^(.*)/')
    if not folders[folder] then
      folders[folder] = {}
      folders:insert(folder)
    end
    table.insert(folders[folder], path)
  end
  folders:sort()
  return folders
end

local function runs_block(block, context)
  local list = definition_lists.read(block, context)
  for _, entry in ipairs(list) do
    entry.pattern = pattern_of(entry.name)
    entry.command = last_code(entry.blocks)
    if not entry.command and not entry.name:match('%.terminal%.txt$') then
      report.at(entry, 'the entry names no command')
    end
  end
  local function kind_of(path)
    for _, entry in ipairs(list) do
      if path:match('[^/]+$'):match(entry.pattern) then
        entry.used = true
        return entry
      end
    end
    report.line(path, nil, 'no entry of %s says which command made this file',
      context.file)
  end
  local folders, shown = by_folder(), pandoc.List {}
  for _, folder in ipairs(folders) do
    shown:extend(context.blocks(folder_blocks(folder, folders[folder], kind_of),
      context))
  end
  for _, entry in ipairs(list) do
    for _, path in ipairs(files.matching('(results/.*)')) do
      entry.used = entry.used or path:match('[^/]+$'):match(entry.pattern)
    end
    if not entry.used then
      report.at(entry, 'no recorded file is named so')
    end
  end
  shown:insert(1, definition_lists.definitions(list))
  return shown
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
    if #cited == 0 and not source.why then
      report.line(YAML, files.line_of(YAML, source.id),
        'the source "%s" is cited nowhere and has no "why"', source.id)
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
      text:extend { pandoc.Space(), pandoc.Str('Cited'), pandoc.Space(),
        pandoc.Str('in') }
      text:extend(cited)
      text:insert(pandoc.Str('.'))
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

-- Tables of verbs get their words from the list of goals.
local function fill_verbs(pages)
  for _, page in ipairs(pages) do
    for index, block in ipairs(page.blocks) do
      if block.t == 'Div' and block.classes:includes('verbs') then
        page.blocks[index] = definition_lists.verbs(block)
      end
    end
  end
end

-- Adds to the list of chapters the pages behind them. book.back: the files;
-- read(path, page): reads one.
function back_matter.add(list, book, answers, read)
  local chapters = pandoc.List(list):clone()
  for _, page in ipairs(chapters) do
    for stage, file in pairs(book.chapter_of) do
      if file == page.file then
        definition_lists.chapter_ids[stage] = page.id
      end
    end
  end
  for _, entry in ipairs(book.chapters) do
    table.insert(definition_lists.stages, entry.stage)
  end
  run_folder = book.results
  definition_lists.others = { runs = runs_block,
    sources = function(_, context) return source_list(chapters, context) end }
  if #answers > 0 then table.insert(list, answers_page(answers)) end
  for _, name in ipairs(book.back) do
    table.insert(list, read('chapters/back/' .. name,
      (name:gsub('%.md$', '.html'))))
  end
  if #inlines.terms > 0 and not definition_lists.found.glossary then
    report.line(YAML, 1,
      'there are terms, but no page of "back" has a glossary')
  end
  if #sources > 0 and not pandoc.List(book.back):includes('sources.md') then
    report.line(YAML, 1, 'there are sources, but "back" has no sources.md')
  end
  link_terms(chapters)
  fill_verbs(list)
end

return back_matter
