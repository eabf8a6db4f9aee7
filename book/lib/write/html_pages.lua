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

local escape = format.escape
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

-- A page with widgets loads what makes them react, and no other page does.
local function widgets_of(body)
  local names = pandoc.List { 'fields', 'svg' }
  for kind in body:gmatch('<figure [^>]*data%-widget="([^"]*)"') do
    if not names:includes(kind) then names:insert(kind) end
  end
  return names[3] and names .. { 'upgrade' }
end

local function page_title(page)
  if not page.number or page.number == '0' then return escape(page.title) end
  return string.format('<span class="number">%s</span> %s', page.number,
    escape(page.title))
end

local function is_notes(page) return page.of and page.of.notes == page end

-- A link as templates have it: to a page, which may be the one being read.
local function link_to(page, title, current)
  return { page = page.page, title = title,
    mark = page == current and ' aria-current="page"' or '' }
end

local function section_links(page, current)
  return pandoc.List(page.sections or {}):map(function(section)
    return { page = (page == current and '' or page.page) .. '#'
      .. escape(section.id), title = escape(section.title), mark = '' }
  end)
end

-- Under a chapter that is being read: its sections, its notes with theirs where
-- they are being read, and its kernel.
local function below(page, current)
  local items = section_links(page, current)
  if page.notes then
    items:insert(link_to(page.notes, 'Notes', current))
    if page.notes == current then
      items[#items].sections = section_links(current, current)
    end
  end
  if page.source_page then
    items:insert(link_to(page.source_page, 'The whole kernel', current))
  end
  return items[1] and items
end

-- The list of chapters, with what belongs to the one that is being read.
local function contents(site, current)
  return site.order:map(function(page)
    local link = link_to(page, page_title(page), current)
    if page == current or page == current.of then
      link.below = below(page, current)
    end
    return link
  end)
end

-- The pages before and after one; notes come after their chapter.
local function neighbours(list, page)
  local owner = is_notes(page) and page.of or page
  local _, index = pandoc.List(list):find(owner)
  if not index then return nil end
  return owner ~= page and owner or list[index - 1], list[index + 1]
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
  local template = site.template 'page.html'
  local before, after = neighbours(list, page)
  local is_first = page.page == 'index.html'
  if kernel ~= '' then
    body = body:gsub('</h1>', '%0\n<nav class="kernel" aria-label="Source">'
      .. kernel:gsub('%%', '%%%%') .. '</nav>', 1)
  end
  files.write(site.out .. '/' .. page.page, format.fill(template, {
    book = escape(book.title), is_first = is_first, name = escape(page.title),
    title = escape(is_first and page.title
      or page.title .. ' \u{b7} ' .. book.title),
    about = escape(description(book, page)),
    -- Full addresses need to know where the pages will be.
    address = book.site and address(book, page.page),
    picture = book.site and book.all_formats and address(book, 'ladder.png'),
    alt = site.picture and posters.text(book, site.picture),
    katex = body:find('class="katex', 1, true) ~= nil, class = page.class,
    widgets = widgets_of(body), pages = contents(site, page), body = body,
    before = before and link_to(before, page_title(before)), kernel = kernel,
    after = after and link_to(after, page_title(after)),
  }))
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
  local book, pages, kernel_links = site.book, {}, {}
  local subtitle = '</h1>\n<p class="subtitle">' .. escape(book.subtitle)
    .. '</p>'
  for index, page in ipairs(site.order) do
    local link = link_to(page, page_title(page))
    local links = section_links(page)
    if page.notes then links:insert(link_to(page.notes, 'Notes')) end
    link.links = links[1] and links
    pages[index - 1] = link -- all but the first
  end
  for _, page in ipairs(site.sources) do
    if page.stage then
      kernel_links[#kernel_links + 1] = { page = page.page, stage = page.stage }
    end
  end
  return format.fill(site.template 'index.html', { pages = pages,
    landing = with_address(landing, book.site)
      :gsub('</h1>', function() return subtitle end, 1),
    file = book.all_formats and book.name,
    kernels = kernel_links })
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
function html_pages.write_some(book, some, list, formulas, out, template)
  local site = { book = book, out = out, template = template,
    order = pandoc.List(list):filter(function(page)
      return not is_notes(page)
    end) }
  for _, page in ipairs(some) do
    write_page(site, site.order, page, page_body(page, formulas))
  end
end

-- Writes each page, an index before them, the sources behind them, and the
-- index of the search to the folder out; template(name) is its text.
function html_pages.write(book, chapters, formulas, out, template)
  local list = pandoc.List { book.landing } .. chapters
  local site = { book = book, out = out, template = template,
    sources = source_pages.make(chapters, template 'source.html'),
    order = list:filter(function(page) return not is_notes(page) end),
    picture = page_html.first_drawing(book.landing) }
  for index, page in ipairs(list) do
    local body = page_body(page, formulas)
    if index == 1 then body = index_body(site, body) end
    write_page(site, site.order, page, body)
    if page.was then
      files.write(out .. '/' .. page.was .. '.html',
        format.fill(template('moved.html'), { page = page.page }))
    end
  end
  for _, page in ipairs(site.sources) do
    write_page(site, site.sources, page, page_body(page, formulas))
  end
  if book.site then
    files.write(out .. '/sitemap.xml', format.fill(template 'sitemap.xml', {
      pages = (list .. site.sources):map(function(page)
        return address(book, page.page)
      end) }))
  end
  files.write(out .. '/search-index.js',
    files.text(files.HERE .. 'theme/find.js') .. search_index(chapters))
end

return html_pages
