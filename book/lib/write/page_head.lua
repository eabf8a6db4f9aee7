-- What a page says of itself to search engines and to those who link to it.
-- Full addresses need to know where the pages will be: book.site.
local format = require 'common.format'
local page_html = require 'write.page_html'
local plain_text = require 'write.plain_text'
local posters = require 'figures.posters'
local page_head = { PICTURE = 'ladder.png' }

local escape = format.escape
local LEAST, MOST = 40, 200 -- characters of a description

-- Whole sentences, or else the first words of one.
local function shortened(text)
  local kept = ''
  for sentence in (text .. ' '):gmatch('(.-[.!?][)\u{201d}"]*) ') do
    if #kept + #sentence > MOST then break end
    kept = kept .. (kept == '' and '' or ' ') .. sentence
  end
  if kept ~= '' then return kept end
  if #text <= MOST then return text end
  return text:sub(1, MOST):match('^(.*)%s') .. ' \u{2026}'
end

-- A formula as its TeX where that reads like text; else a mark, \1.
local function readable(html)
  local tex = html:match('<annotation[^>]*>(.-)</annotation>') or '\\'
  return tex:find('[\\{}]') and '\1' or tex
end

-- The first sentences, without what introduces them in bold and those that hold
-- a formula which no plain text can show.
local function beginning(page, formulas)
  local body = page_html.with_formulas(page.body, formulas, readable)
  for paragraph in body:gmatch('<p[^>]*>(.-)</p>') do
    local text = plain_text((paragraph:gsub('^<strong>.-</strong>', ''))) .. ' '
    text = text:gsub('[^.!?]*\1.-[.!?] ', '')
    if #text >= LEAST then return shortened(text:match('^ *(.-) *$')) end
  end
end

-- Of the first page the book's.
function page_head.description(book, page, formulas)
  local whole = book.description or book.title
  if page.page == 'index.html' then return whole end
  return page.about or beginning(page, formulas)
    or page.title .. ' \u{b7} ' .. whole
end

local function meta(kind, name, text)
  return string.format('<meta %s="%s" content="%s">', kind, name, text)
end

-- The address of a page; of the first, that of its folder.
local function address(book, name)
  return escape(book.site .. '/' .. (name == 'index.html' and '' or name))
end

-- about: its description; picture: the SVG of the first page, or nil.
function page_head.html(book, page, about, picture)
  about = escape(about)
  local lines = { meta('name', 'description', about),
    meta('property', 'og:type',
      page.page == 'index.html' and 'website' or 'article'),
    meta('property', 'og:site_name', escape(book.title)),
    meta('property', 'og:title', escape(page.title)),
    meta('property', 'og:description', about) }
  local function add(line) lines[#lines + 1] = line end
  if book.site then
    add(meta('property', 'og:url', address(book, page.page)))
    add('<link rel="canonical" href="' .. address(book, page.page) .. '">')
  end
  if book.site and book.all_formats then
    add(meta('property', 'og:image', address(book, page_head.PICTURE)))
    add(meta('property', 'og:image:width', posters.WIDTH))
    add(meta('property', 'og:image:height', posters.HEIGHT))
    add(meta('property', 'og:image:alt', posters.share_text(book, picture)))
    add(meta('name', 'twitter:card', 'summary_large_image'))
  end
  return table.concat(lines, '\n')
end

-- All pages, for search engines.
function page_head.sitemap(book, pages)
  local lines = {}
  for index, page in ipairs(pages) do
    lines[index] = '<url><loc>' .. address(book, page.page) .. '</loc></url>'
  end
  return '<?xml version="1.0" encoding="UTF-8"?>\n'
    .. '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    .. table.concat(lines, '\n') .. '\n</urlset>\n'
end

return page_head
