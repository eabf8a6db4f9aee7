-- The whole book as one page, from which Chromium prints the PDF.
local page_html = require 'write.page_html'
local format = require 'common.format'

local escape = format.escape
local SHORT = 16  -- lines

local function line(level, id, number, title)
  return { level = level, id = id, number = number, title = escape(title) }
end

-- print.py fills in the number of the page where the heading with the id is.
local function contents(list)
  local lines = pandoc.List {}
  for _, page in ipairs(list) do
    lines:insert(line('chapter', page.id,
      page.number ~= '0' and page.number or nil, page.title))
    for _, section in ipairs(page.sections) do
      lines:insert(line('section', section.id, section.number, section.title))
    end
  end
  return lines
end

local function in_quotes(text) return (text:gsub('["\\]', '\\%0')) end

-- A short listing stays on one page.
local function keep_short(body)
  return (body:gsub('<pre class="code(.-)</pre>', function(rest)
    local _, breaks = rest:gsub('\n', '')
    return breaks < SHORT and '<pre class="short code' .. rest .. '</pre>'
  end))
end

-- Each chapter's pages bear its title in their head. A reader of paper hears
-- nothing, so a formula's MathML is left out. On one page, footnotes need the
-- chapter in their ids.
local function part(page, index, formulas)
  local body = page_html.with_formulas(page.body, formulas, function(html)
    return (html:gsub('<span class="katex%-mathml">.-</math></span>', ''))
  end)
  body = body:gsub('href="[^"#:]*%.html#', 'href="#'):gsub(' tabindex="0"', '')
    :gsub('id="fn', '%0' .. index .. '-')
    :gsub('href="#fn', '%0' .. index .. '-')
    :gsub('<h%d.-</h%d>', function(heading) return heading:gsub('\n', ' ') end)
  return { part = index, title = in_quotes(page_html.title(page)),
    body = keep_short(body) }
end

-- print.html; the style is that of the pages.
return function(book, list, formulas, template)
  local parts = {}
  for index, page in ipairs(list) do
    parts[index] = part(page, index, formulas)
  end
  return format.fill(template, { parts = parts, contents = contents(list),
    title = escape(book.title), subtitle = escape(book.subtitle),
    description = escape(book.description), head = in_quotes(book.title),
    picture = page_html.first_drawing(book.landing) })
end
