-- Writes the book as HTML pages: an index, a page for each chapter, answers,
-- terms and sources.
local files = require 'files'
local format = require 'format'
local labels = require 'labels'
local report = require 'report'
local pages = {}

local KATEX = '<link rel="stylesheet" href="katex/katex.min.css">'
local escape = format.escape

-- "${name}" in a template; an unknown name is a mistake of the template.
local function fill(template, values)
  return (template:gsub('%${([%w_]+)}', function(name)
    return assert(values[name], 'the template asks for ' .. name)
  end))
end

-- Walks blocks with a pandoc filter, in every pandoc from 2.17 on.
local function walk(blocks, filter)
  return pandoc.walk_block(pandoc.Div(blocks), filter).content
end

local function address(id, page)
  local target = labels.by_id[id].page
  return (target == page and '' or target) .. '#' .. id
end

-- References to text and addresses; what they don't find is reported.
local function resolve_links(blocks, page)
  return walk(blocks, { Link = function(link)
    local id = link.target:match('^#(.+)$')
    local where = link.attributes
    local file, line = where.file, tonumber(where.line)
    link.attributes.file, link.attributes.line = nil, nil
    if not id then return link end
    if not labels.by_id[id] then
      report.line(file or page, line, 'there is nothing with the id "%s"', id)
      return link
    end
    if link.classes:includes('xref') then
      link.content = { pandoc.Str(labels.text(id)) }
    end
    link.target = address(id, page)
    return link
  end })
end

local function set_formulas(blocks, formulas)
  return walk(blocks, { Span = function(span)
    if span.classes:includes('formula') then
      return pandoc.RawInline('html', formulas[tonumber(span.attributes.n)])
    end
  end })
end

local function body_html(blocks)
  local options = pandoc.WriterOptions(PANDOC_WRITER_OPTIONS)
  local html = pandoc.write(pandoc.Pandoc(blocks), 'html5', options)
  html = html:gsub('<table', '<div class="scroll" tabindex="0"><table')
    :gsub('</table>', '</table></div>')
  return (html:gsub(' role="doc%-endnote"', '')  -- deprecated in ARIA
    :gsub(' role="doc%-endnotes"', ' aria-label="Footnotes"'))
end

local function page_title(page)
  if not page.number or page.number == '0' then return escape(page.title) end
  return string.format('<span class="number">%s</span> %s', page.number,
    escape(page.title))
end

local function section_list(page)
  local items = {}
  for index, section in ipairs(page.sections or {}) do
    items[index] = string.format('<li><a href="#%s">%s</a></li>',
      escape(section.id), escape(section.title))
  end
  if #items == 0 then return '' end
  return '<ol class="sections">' .. table.concat(items, '\n') .. '</ol>'
end

-- The list of pages, with the sections of the page that is being read.
local function chapter_list(list, current)
  local items = {}
  for index, page in ipairs(list) do
    local here = page == current
    items[index] = string.format('<li><a href="%s"%s>%s</a>%s</li>', page.page,
      here and ' aria-current="page"' or '', page_title(page),
      here and section_list(page) or '')
  end
  return '<ol class="chapters">\n' .. table.concat(items, '\n') .. '\n</ol>'
end

local function step_link(page, relation, word)
  if not page then return '<span></span>' end
  return string.format('<a rel="%s" href="%s"><small>%s</small> %s</a>',
    relation, page.page, word, page_title(page))
end

local function write_page(book, list, index, body, out, template)
  local page = list[index]
  local name = page.title
  if index > 1 then name = name .. ' \u{b7} ' .. book.title end
  local has_formulas = body:find('class="katex', 1, true)
  files.write(out .. '/' .. page.page, fill(template, {
    language = book.language or 'en', book = escape(book.title),
    title = escape(name), katex = has_formulas and KATEX or '',
    chapters = chapter_list(list, page), body = body,
    previous = step_link(list[index - 1], 'prev', 'Previous'),
    next = step_link(list[index + 1], 'next', 'Next'),
  }))
end

local function index_body(book, list)
  local items = {}
  for _, page in ipairs(list) do
    local sections = {}
    for _, section in ipairs(page.sections or {}) do
      sections[#sections + 1] = string.format('<a href="%s#%s">%s</a>',
        page.page, escape(section.id), escape(section.title))
    end
    if page.page ~= 'index.html' then
      items[#items + 1] = string.format(
        '<li><a href="%s">%s</a><p>%s</p></li>', page.page, page_title(page),
        table.concat(sections, ' \u{b7} '))
    end
  end
  return string.format('<div class="title"><h1>%s</h1>\n<p class="subtitle">%s'
    .. '</p>\n<p>%s</p></div>\n<ol class="contents">\n%s\n</ol>',
    escape(book.title), escape(book.subtitle or ''),
    escape(book.description or ''), table.concat(items, '\n'))
end

-- Lets all references lead somewhere, or reports them.
-- list: {page, title, number, sections, blocks}.
function pages.resolve(list)
  for _, page in ipairs(list) do
    page.blocks = resolve_links(page.blocks, page.page)
  end
end

-- Writes each page, and an index before them, to the folder out.
function pages.write(book, list, formulas, out, template)
  table.insert(list, 1, { page = 'index.html', title = book.title })
  for index, page in ipairs(list) do
    local body = index == 1 and index_body(book, list)
      or body_html(set_formulas(page.blocks, formulas))
    write_page(book, list, index, body, out, template)
  end
end

return pages
