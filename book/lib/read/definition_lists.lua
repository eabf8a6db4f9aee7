-- The back matter's lists with one entry a thing, written as definition lists
-- in chapters/back and, glossary and toggles, held against what there is; the
-- tests hold .goals and .settings against make.
local inlines = require 'read.inlines'
local kernels = require 'data.kernels'
local labels = require 'text.labels'
local report = require 'common.report'
local terms = require 'text.terms'
-- kinds: by its class, what shows a list: called with its block and context.
local definition_lists = { chapter_ids = {}, kinds = {} }

local function definition_list(block)
  for _, inner in ipairs(block.content) do
    if inner.t == 'Div' then inner = definition_list(inner) end
    if inner and inner.t == 'DefinitionList' then return inner end
  end
end

local function line_of(element)
  local attributes = element and element.attributes or {}
  return tonumber((attributes['data-pos'] or ''):match('^%D*(%d+)'))
end

-- The entries of a block: {name, head, blocks, file, line}.
function definition_lists.read(block, context)
  local list, seen = {}, {}
  local found = definition_list(block)
  for _, item in ipairs(found and found.content or {}) do
    local entry = { name = pandoc.utils.stringify(item[1]), file = context.file,
      line = line_of(item[1][1]) or context.line, blocks = pandoc.List {} }
    for _, blocks in ipairs(item[2]) do
      entry.blocks:extend(context.blocks(blocks, context))
    end
    context.line = entry.line
    entry.head = inlines.paragraph(item[1], context)
    if seen[entry.name] then
      report.at(entry, '"%s" has an entry already: line %d', entry.name,
        seen[entry.name].line)
    end
    seen[entry.name] = entry
    list[#list + 1] = entry
  end
  return list
end

-- things: by name {file, line}. Nothing lacks an entry, no entry a thing.
-- place: where the list is.
function definition_lists.compare(what, list, things, place)
  local seen = {}
  for _, entry in ipairs(list) do
    seen[entry.name] = true
    if not things[entry.name] then
      report.at(entry, 'there is no %s "%s"', what, entry.name)
    end
  end
  for name, where in pairs(things) do
    if not seen[name] then
      report.at(where, '%s "%s" has no entry in %s', what, name,
        place or 'chapters/back')
    end
  end
end

local compare = definition_lists.compare

-- Entries as they are shown.
function definition_lists.definitions(list)
  return pandoc.DefinitionList(pandoc.List(list):map(function(entry)
    return { entry.head, { entry.blocks } }
  end))
end

local kinds = definition_lists.kinds

function kinds.glossary(block, context)
  local list = definition_lists.read(block, context)
  table.sort(list, function(a, b) return a.name:lower() < b.name:lower() end)
  local things = {}
  for _, term in ipairs(inlines.terms) do things[term.text] = term end
  compare('term', list, things)
  for _, entry in ipairs(list) do
    local term, id = things[entry.name], 'gloss-' .. terms.id(entry.name)
    labels.define(id, { text = entry.name, page = context.page }, entry)
    entry.head:insert(1, pandoc.RawInline('html',
      '<span id="' .. id .. '">'))
    entry.head:insert(pandoc.RawInline('html', '</span>'))
    local last = entry.blocks[#entry.blocks]
    if term and last then
      term.meaning = pandoc.utils.stringify(pandoc.Div(entry.blocks))
      last.content:extend { pandoc.Space(),
        inlines.link_to(term.id, 'own', term.chapter) }
    end
  end
  return { definition_lists.definitions(list) }
end

function kinds.goals(block, context)
  return { definition_lists.definitions(definition_lists.read(block, context)) }
end

kinds.settings = kinds.goals

local function cell(...) return { pandoc.Plain { ... } } end

-- One row for each toggle of each stage.
function kinds.toggles(block, context)
  local list = definition_lists.read(block, context)
  local things, by_name, rows = {}, {}, {}
  local heads = pandoc.List { 'Toggle', 'Stage', 'Values', 'Default',
    'What it does', 'Chapter' }
  local toggles = kernels.toggles(kernels.stages())
  for _, toggle in ipairs(toggles) do things[toggle.name] = toggle end
  compare('toggle', list, things)
  for _, entry in ipairs(list) do by_name[entry.name] = entry end
  for index, toggle in ipairs(toggles) do
    local entry = by_name[toggle.name]
    local chapter = definition_lists.chapter_ids[toggle.stage]
    rows[index] = { cell(pandoc.Code(toggle.name)),
      cell(pandoc.Str(toggle.stage:match('^[^_]+'))),
      cell(pandoc.Str((toggle.values:gsub(' ', ', ')))),
      cell(pandoc.Str(toggle.default)),
      entry and pandoc.List(entry.blocks):clone() or {},
      cell(chapter and inlines.link_to(chapter, 'xref') or pandoc.Str('')) }
  end
  return { pandoc.Div({ pandoc.utils.from_simple_table(pandoc.SimpleTable({},
    heads:map(function() return pandoc.AlignLeft end),
    { 0.26, 0.08, 0.08, 0.08, 0.36, 0.14 },
    heads:map(function(head) return cell(pandoc.Str(head)) end), rows)) },
    pandoc.Attr('', { 'toggles' })) }
end

return definition_lists
