-- Writes the book as HTML pages: an index, a page for each chapter, answers,
-- terms and sources, and one for each source file; and what the search needs.
local page_html = require 'write.page_html'
local page_head = require 'write.page_head'
local files = require 'common.files'
local format = require 'common.format'
local kernels = require 'data.kernels'
local search_index = require 'write.search_index'
local source_pages = require 'write.source_pages'
local html_pages = {}

local KATEX = '<link rel="stylesheet" href="katex/katex.min.css">'
-- At an address that a chapter had before: it leads on, section and all.
local MOVED = [[<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<link rel="canonical" href="${page}">
<script>location.replace('${page}' + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url=${page}"></noscript>
</head>
<body><main><h1>This page has moved</h1>
<p>It is <a href="${page}">here</a> now.</p></main></body>
</html>
]]
local escape = format.escape
local FORMAT_LINKS = '<p class="formats">The whole book: '
  .. '<a href="%s.pdf">PDF</a> \u{b7} <a href="%s.epub">EPUB</a></p>'

-- A page with widgets loads what makes them react, and no other page does.
local function widget_scripts(body)
  local names, seen = { 'fields', 'svg' }, {}
  for kind in body:gmatch('<figure [^>]*data%-widget="([^"]*)"') do
    if not seen[kind] then
      table.move({ kind .. '.model', kind }, 1, 2, #names + 1, names)
    end
    seen[kind] = true
  end
  if not next(seen) then return '' end
  names[#names + 1] = 'upgrade'
  for index, name in ipairs(names) do
    names[index] = string.format('<script src="widgets/%s.js" defer></script>',
      name)
  end
  return table.concat(names, '\n')
end

local function page_title(page)
  if not page.number or page.number == '0' then return escape(page.title) end
  return string.format('<span class="number">%s</span> %s', page.number,
    escape(page.title))
end

local function is_notes(page) return page.of and page.of.notes == page end

local function list_item(page, current, text, below)
  return string.format('<li><a href="%s"%s>%s</a>%s</li>', page.page,
    page == current and ' aria-current="page"' or '', text, below or '')
end

-- Under a chapter that is being read: its sections, its notes with theirs where
-- they are being read, and its kernel.
local function below(page, current)
  local items, source = {}, page.source_page
  for index, section in ipairs(page.sections or {}) do
    items[index] = string.format('<li><a href="%s#%s">%s</a></li>',
      page == current and '' or page.page, escape(section.id),
      escape(section.title))
  end
  if page.notes then
    items[#items + 1] = list_item(page.notes, current, 'Notes',
      page.notes == current and below(page.notes, current))
  end
  if source then
    items[#items + 1] = list_item(source, current, 'The whole kernel')
  end
  if #items == 0 then return '' end
  return '<ol class="sections">' .. table.concat(items, '\n') .. '</ol>'
end

-- The list of chapters, with what belongs to the one that is being read.
local function contents(site, current)
  local items = {}
  for _, page in ipairs(site.pages) do
    if not is_notes(page) then
      items[#items + 1] = list_item(page, current, page_title(page),
        (page == current or page == current.of) and below(page, current))
    end
  end
  return '<ol class="chapters">\n' .. table.concat(items, '\n') .. '\n</ol>'
end

-- The pages before and after one; notes come after their chapter.
local function neighbours(list, page)
  local owner = is_notes(page) and page.of or page
  for index, other in ipairs(list) do
    if other == owner then
      return owner ~= page and owner or list[index - 1], list[index + 1]
    end
  end
end

local function step_link(page, relation, word)
  if not page then return '<span></span>' end
  return string.format('<a rel="%s" href="%s"><small>%s</small> %s</a>',
    relation, page.page, word, page_title(page))
end

-- To the whole kernel of a stage, from the top and the end of its chapter.
local function kernel_link(page)
  local source = page.source_page
  if not source then return '' end
  return string.format('<a class="kernel" href="%s">The whole kernel, line by '
    .. 'line: <code>%s</code></a>', source.page, escape(source.path))
end

local function with_kernel_link(body, page)
  local link = kernel_link(page)
  if link == '' then return body end
  return (body:gsub('</h1>', function(tag)
    return tag .. '\n<nav class="kernel" aria-label="Source">' .. link
      .. '</nav>'
  end, 1))
end

-- list: the pages of its kind, which has those before and behind it.
local function write_page(site, list, page, body)
  local book, name = site.book, page.title
  local before, after = neighbours(list, page)
  if page.page ~= 'index.html' then
    name = name .. ' \u{b7} ' .. book.title
  end
  local has_formulas = body:find('class="katex', 1, true)
  files.write(site.out .. '/' .. page.page, format.fill(site.template, {
    language = book.language or 'en', book = escape(book.title),
    title = escape(name),
    about = page_head.html(book, page,
      page_head.description(book, page, site.formulas), site.picture),
    katex = has_formulas and KATEX or '',
    class = page.class and ' class="' .. page.class .. '"' or '',
    widgets = widget_scripts(body),
    chapters = contents(site, page), body = with_kernel_link(body, page),
    previous = step_link(before, 'prev', 'Previous'),
    kernel = kernel_link(page),
    next = step_link(after, 'next', 'Next'),
  }))
end

local function kernel_links(sources)
  local links = {}
  for _, page in ipairs(sources) do
    if page.is_kernel then
      links[#links + 1] = string.format('<a href="%s">stage\u{a0}%s</a>',
        page.page, kernels.stage(page.path):match('%d+'))
    end
  end
  if #links == 0 then return '' end
  return '\n<p class="formats">Kernels, every line explained: '
    .. table.concat(links, ' \u{b7} ') .. '</p>'
end

-- Pages that a forge shows at owner.github.io/name come from its github.com.
local function with_address(landing, site)
  local owner, name = (site or ''):match(
    '^https://([%w-]+)%.github%.io/([^/]+)$')
  return owner and landing:gsub('ADDRESS%-OF%-THE%-REPOSITORY', function()
    return string.format('https://github.com/%s/%s', owner, name)
  end) or landing
end

-- landing: what the first page says before the list of chapters.
local function index_body(book, list, sources, landing)
  local items = {}
  for _, page in ipairs(list) do
    local sections = {}
    for _, section in ipairs(page.sections or {}) do
      sections[#sections + 1] = string.format('<a href="%s#%s">%s</a>',
        page.page, escape(section.id), escape(section.title))
    end
    if page.notes then
      sections[#sections + 1] = string.format('<a href="%s">Notes</a>',
        page.notes.page)
    end
    if page.page ~= 'index.html' and not is_notes(page) then
      items[#items + 1] = string.format(
        '<li><a href="%s">%s</a><p>%s</p></li>', page.page, page_title(page),
        table.concat(sections, ' \u{b7} '))
    end
  end
  local formats = book.all_formats
    and string.format(FORMAT_LINKS, book.name, book.name) or ''
  formats = formats .. kernel_links(sources)
  local subtitle = '</h1>\n<p class="subtitle">' .. escape(book.subtitle or '')
    .. '</p>'
  return string.format('<div class="title">%s\n%s</div>\n'
    .. '<h2 id="chapters">Chapters</h2>\n<ol class="contents">\n%s\n</ol>',
    with_address(landing, book.site)
      :gsub('</h1>', function() return subtitle end, 1), formats,
    table.concat(items, '\n'))
end

-- Tables and displayed formulas scroll, and a keyboard can reach them.
local function page_body(page, formulas)
  local body = page.body
    :gsub('<table', '<div class="scroll" tabindex="0"><table')
    :gsub('</table>', '</table></div>')
  return page_html.with_formulas(source_pages.with_links(body), formulas,
    function(html)
      return html:gsub('^<span class="katex%-display"', '%0 tabindex="0"')
    end)
end

-- Writes each page, an index before them, the sources behind them, and the
-- index of the search to the folder out; theme(name) is a file of the theme.
function html_pages.write(book, chapters, formulas, out, theme)
  local list = { book.landing }
  table.move(chapters, 1, #chapters, 2, list)
  local site = { book = book, pages = list, out = out,
    formulas = formulas,
    sources = source_pages.make(chapters), template = theme('page.html'),
    picture = page_html.first_drawing(book.landing) }
  local order = pandoc.List(list):filter(function(page)
    return not is_notes(page)
  end)
  for index, page in ipairs(list) do
    local body = page_body(page, formulas)
    if index == 1 then body = index_body(book, list, site.sources, body) end
    write_page(site, order, page, body)
    if page.was then
      files.write(out .. '/' .. page.was .. '.html',
        format.fill(MOVED, { page = page.page }))
    end
  end
  for _, page in ipairs(site.sources) do
    write_page(site, site.sources, page, page_body(page, formulas))
  end
  if book.site then
    local all = table.move(site.sources, 1, #site.sources, #list + 1,
      { table.unpack(list) })
    files.write(out .. '/sitemap.xml', page_head.sitemap(book, all))
  end
  files.write(out .. '/search-index.js',
    theme('find.js') .. search_index.of(chapters))
end

return html_pages
