-- What a page says of itself to search engines and to those who link to it.
-- Full addresses need to know where the pages will be: book.site.
local format = require 'common.format'
local page_html = require 'write.page_html'
local posters = require 'figures.posters'
local page_head = {}

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
    local text = page_html.plain((paragraph:gsub('^<strong>.-</strong>', '')))
      .. ' '
    text = text:gsub('[^.!?]*\1.-[.!?] ', '')
    if #text >= LEAST then return shortened(text:match('^ *(.-) *$')) end
  end
end

local function description(book, page, formulas)
  local whole = book.description or book.title
  if page.page == 'index.html' then return whole end
  return page.about or beginning(page, formulas)
    or page.title .. ' \u{b7} ' .. whole
end

-- The address of a page; of the first, that of its folder.
local function address(book, name)
  return escape(book.site .. '/' .. (name == 'index.html' and '' or name))
end

-- picture: the SVG of the first page, or nil.
function page_head.html(book, page, formulas, picture)
  local about, lines = escape(description(book, page, formulas)), {}
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
    meta('property', 'og:image:alt', posters.share_text(book, picture))
    meta('name', 'twitter:card', 'summary_large_image')
  end
  return table.concat(lines, '\n')
end

-- All pages, for search engines.
function page_head.sitemap(book, pages)
  return '<?xml version="1.0" encoding="UTF-8"?>\n'
    .. '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    .. format.each(pages, '\n', function(page)
      return '<url><loc>' .. address(book, page.page) .. '</loc></url>'
    end) .. '\n</urlset>\n'
end

return page_head
