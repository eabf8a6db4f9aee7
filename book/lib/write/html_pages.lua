-- Writes the book as HTML pages: an index, a page for each chapter, answers,
-- terms and sources, and one for each source file; and what the search needs.
local files = require 'common.files'
local format = require 'common.format'
local kernels = require 'data.kernels'
local page_html = require 'write.page_html'
local posters = require 'figures.posters'
local search_index = require 'write.search_index'
local source_pages = require 'write.source_pages'
local html_pages = {}

local escape, each = format.escape, format.each
local LEAST, MOST = 40, 200 -- characters of a description

-- The first words, without what introduces them in bold, of a paragraph that
-- has no formula.
local function beginning(page)
  for paragraph in page.body:gmatch('<p[^>]*>(.-)</p>') do
    local text = page_html.plain((paragraph:gsub('^<strong>.-</strong>', '')))
    if #text >= LEAST and not paragraph:find('<!--formula', 1, true) then
      return #text <= MOST and text
        or text:sub(1, MOST):match('^(.*)%s') .. ' \u{2026}'
    end
  end
end

local function description(book, page)
  if page.page == 'index.html' then return book.description end
  return page.about or beginning(page)
    or page.title .. ' \u{b7} ' .. book.description
end

-- The address of a page; of the first, that of its folder.
local function address(book, name)
  return escape(book.site .. '/' .. (name == 'index.html' and '' or name))
end

-- What a page says of itself to search engines and to those who link to it.
-- Full addresses need to know where the pages will be: book.site. picture: the
-- SVG of the first page.
local function head_of(book, page, picture)
  local about, lines = escape(description(book, page)), {}
  local function meta(kind, name, text)
    lines[#lines + 1] =
      string.format('<meta %s="%s" content="%s">', kind, name, text)
  end
  meta('name', 'description', about)
  meta('property', 'og:type',
    page.page == 'index.html' and 'website' or 'article')
  meta('property', 'og:site_name', escape(book.title))
  meta('property', 'og:title', escape(page.title))
  meta('property', 'og:description', about)
  if book.site then
    meta('property', 'og:url', address(book, page.page))
    lines[#lines + 1] =
      '<link rel="canonical" href="' .. address(book, page.page) .. '">'
  end
  if book.site and book.all_formats then
    meta('property', 'og:image', address(book, 'ladder.png'))
    meta('property', 'og:image:width', posters.WIDTH)
    meta('property', 'og:image:height', posters.HEIGHT)
    meta('property', 'og:image:alt', posters.text(book, picture))
    meta('name', 'twitter:card', 'summary_large_image')
  end
  return table.concat(lines, '\n')
end

-- All pages, for search engines.
local function sitemap(book, pages)
  return '<?xml version="1.0" encoding="UTF-8"?>\n'
    .. '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    .. each(pages, '\n', function(page)
      return '<url><loc>' .. address(book, page.page) .. '</loc></url>'
    end) .. '\n</urlset>\n'
end

-- A page with widgets loads what makes them react, and no other page does.
local function widget_scripts(body)
  local names = pandoc.List { 'fields', 'svg' }
  for kind in body:gmatch('<figure [^>]*data%-widget="([^"]*)"') do
    if not names:includes(kind) then names:insert(kind) end
  end
  return names[3] and each(names .. { 'upgrade' }, '\n', function(name)
    return '<script src="widgets/' .. name .. '.js" defer></script>'
  end) or ''
end

local function page_title(page)
  if not page.number or page.number == '0' then return escape(page.title) end
  return string.format('<span class="number">%s</span> %s', page.number,
    escape(page.title))
end

local function is_notes(page) return page.of and page.of.notes == page end

local function section_link(page, section, current)
  return string.format('<a href="%s#%s">%s</a>',
    page == current and '' or page.page, escape(section.id),
    escape(section.title))
end

local function list_item(page, current, text, below)
  return string.format('<li><a href="%s"%s>%s</a>%s</li>', page.page,
    page == current and ' aria-current="page"' or '', text, below or '')
end

-- Under a chapter that is being read: its sections, its notes with theirs where
-- they are being read, and its kernel.
local function below(page, current)
  local items = { each(page.sections or {}, '\n', function(section)
    return '<li>' .. section_link(page, section, current) .. '</li>'
  end) }
  if items[1] == '' then items = {} end
  if page.notes then
    items[#items + 1] = list_item(page.notes, current, 'Notes',
      page.notes == current and below(page.notes, current))
  end
  if page.source_page then
    items[#items + 1] =
      list_item(page.source_page, current, 'The whole kernel')
  end
  return #items == 0 and ''
    or '<ol class="sections">' .. table.concat(items, '\n') .. '</ol>'
end

-- The list of chapters, with what belongs to the one that is being read.
local function contents(site, current)
  return '<ol class="chapters">\n' .. each(site.pages, '\n', function(page)
    return not is_notes(page) and list_item(page, current, page_title(page),
      (page == current or page == current.of) and below(page, current)) or nil
  end) .. '\n</ol>'
end

-- The pages before and after one; notes come after their chapter.
local function neighbours(list, page)
  local owner = is_notes(page) and page.of or page
  local _, index = pandoc.List(list):find(owner)
  if not index then return nil end
  return owner ~= page and owner or list[index - 1], list[index + 1]
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

-- list: the pages of its kind, which has those before and behind it.
local function write_page(site, list, page, body)
  local book, kernel = site.book, kernel_link(page)
  local before, after = neighbours(list, page)
  files.write(site.out .. '/' .. page.page, format.fill(site.template, {
    book = escape(book.title),
    title = escape(page.page == 'index.html' and page.title
      or page.title .. ' \u{b7} ' .. book.title),
    about = head_of(book, page, site.picture),
    katex = body:find('class="katex', 1, true)
      and '<link rel="stylesheet" href="katex/katex.min.css">' or '',
    class = page.class and ' class="' .. page.class .. '"' or '',
    widgets = widget_scripts(body), chapters = contents(site, page),
    body = kernel == '' and body or body:gsub('</h1>', function(tag)
      return tag .. '\n<nav class="kernel" aria-label="Source">' .. kernel
        .. '</nav>'
    end, 1),
    previous = step_link(before, 'prev', 'Previous'), kernel = kernel,
    next = step_link(after, 'next', 'Next'),
  }))
end

local function kernel_links(sources)
  local links = each(sources, ' \u{b7} ', function(page)
    return page.stage and string.format('<a href="%s">stage\u{a0}%d</a>',
      page.page, page.stage) or nil
  end)
  return links == '' and '' or '\n<p class="formats">Kernels, every line '
    .. 'explained: ' .. links .. '</p>'
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
local function index_body(site, landing)
  local book = site.book
  local items = each(site.pages, '\n', function(page)
    if page.page == 'index.html' or is_notes(page) then return nil end
    local links = pandoc.List(page.sections or {}):map(function(section)
      return section_link(page, section)
    end)
    if page.notes then
      links:insert('<a href="' .. page.notes.page .. '">Notes</a>')
    end
    return string.format('<li><a href="%s">%s</a><p>%s</p></li>', page.page,
      page_title(page), table.concat(links, ' \u{b7} '))
  end)
  local formats = book.all_formats and string.format('<p class="formats">The '
    .. 'whole book: <a href="%s.pdf">PDF</a> \u{b7} <a href="%s.epub">EPUB</a>'
    .. '</p>', book.name, book.name) or ''
  local subtitle = '</h1>\n<p class="subtitle">' .. escape(book.subtitle)
    .. '</p>'
  return string.format('<div class="title">%s\n%s</div>\n'
    .. '<h2 id="chapters">Chapters</h2>\n<ol class="contents">\n%s\n</ol>',
    with_address(landing, book.site)
      :gsub('</h1>', function() return subtitle end, 1),
    formats .. kernel_links(site.sources), items)
end

-- Tables and displayed formulas scroll, and a keyboard can reach them. The
-- origin of each listing leads to its lines.
local function page_body(page, formulas)
  local body = page.body
    :gsub('<table', '<div class="scroll" tabindex="0"><table')
    :gsub('</table>', '</table></div>')
    :gsub('<span class="source" data%-at="(.-)#(L%d+)">(.-)</span>',
      function(path, line, text)
        return string.format('<a class="source" href="%s#%s" title="Open this '
          .. 'listing in the source">%s</a>', kernels.page(path), line, text)
      end)
  return page_html.with_formulas(body, formulas, function(html)
    return html:gsub('^<span class="katex%-display"', '%0 tabindex="0"')
  end)
end

-- Writes some pages of a list into the folder out.
function html_pages.write_some(book, some, list, formulas, out, theme)
  local site = { book = book, pages = pandoc.List(list), out = out,
    template = theme('page.html') }
  local order = site.pages:filter(function(page) return not is_notes(page) end)
  for _, page in ipairs(some) do
    write_page(site, order, page, page_body(page, formulas))
  end
end

-- Writes each page, an index before them, the sources behind them, and the
-- index of the search to the folder out; theme(name) is a file of the theme.
function html_pages.write(book, chapters, formulas, out, theme)
  local list = pandoc.List { book.landing } .. chapters
  local site = { book = book, pages = list, out = out,
    sources = source_pages.make(chapters), template = theme('page.html'),
    picture = page_html.first_drawing(book.landing) }
  local order = list:filter(function(page) return not is_notes(page) end)
  for index, page in ipairs(list) do
    local body = page_body(page, formulas)
    write_page(site, order, page, index == 1 and index_body(site, body) or body)
    if page.was then
      files.write(out .. '/' .. page.was .. '.html',
        format.fill(theme('moved.html'), { page = page.page }))
    end
  end
  for _, page in ipairs(site.sources) do
    write_page(site, site.sources, page, page_body(page, formulas))
  end
  if book.site then
    files.write(out .. '/sitemap.xml', sitemap(book, list .. site.sources))
  end
  files.write(out .. '/search-index.js',
    theme('find.js') .. search_index(chapters))
end

return html_pages
