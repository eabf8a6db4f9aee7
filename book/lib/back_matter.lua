-- The pages behind the chapters: answers, terms, sources. Each exists only if
-- there is something on it.
local format = require 'format'
local labels = require 'labels'
local back_matter = { ANSWERS = 'answers.html', TERMS = 'terms.html',
                      SOURCES = 'sources.html' }

local function page(list, name, title, blocks)
  if #blocks == 0 then return end
  local id = name:gsub('%.html$', '')
  local heading = pandoc.Header(1, { pandoc.Str(title) }, pandoc.Attr(id))
  table.insert(blocks, 1, heading)
  table.insert(list, { page = name, id = id, title = title, sections = {},
                       blocks = blocks })
end

-- Sources are known before the chapters are read, for these refer to them.
function back_matter.define_sources(sources)
  for _, source in ipairs(sources) do
    local where = { file = 'chapters/book.yaml', line = 1 }
    labels.check_kind(source.id, 'src', where)
    labels.define(source.id,
      { text = source.short, page = back_matter.SOURCES }, where)
  end
end

local function term_list(terms)
  table.sort(terms, function(a, b) return a.text:lower() < b.text:lower() end)
  local items = {}
  for index, term in ipairs(terms) do
    local link = pandoc.Link({ pandoc.Str(term.text) }, '#' .. term.id)
    items[index] = { pandoc.Plain { link } }
  end
  return #items > 0 and { pandoc.BulletList(items) } or {}
end

local function source_list(sources)
  local entries = {}
  for index, source in ipairs(sources) do
    local url = source.url and format.escape(source.url)
    entries[index] = pandoc.RawBlock('html', string.format(
      '<p id="%s" class="entry"><b>%s</b> %s%s</p>', format.escape(source.id),
      format.escape(source.short), format.escape(source.text),
      url and string.format(' <a href="%s">%s</a>', url, url) or ''))
  end
  return entries
end

-- Adds to a list of pages those that are not empty.
function back_matter.add(list, answers, terms, sources)
  page(list, back_matter.ANSWERS, 'Answers', answers)
  page(list, back_matter.TERMS, 'Terms', term_list(terms))
  page(list, back_matter.SOURCES, 'Sources', source_list(sources))
end

return back_matter
