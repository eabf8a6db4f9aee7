-- The whole book as one page, from which Chromium prints the PDF.
local page_html = require 'write.page_html'
local format = require 'common.format'

local escape = format.escape
local SHORT = 16  -- lines

-- print.js fills in the number of the page where the heading with the id is.
local function contents_line(level, id, number, title)
  return string.format('<li class="%s"><a href="#%s"><span class="number">%s'
    .. '</span><span class="name">%s</span><span class="dots"></span>'
    .. '<span data-page="%s"></span></a></li>', level, id, number or '',
    escape(title), id)
end

local function contents(list)
  return format.each(list, '\n', function(page)
    local lines = pandoc.List { contents_line('chapter', page.id,
      page.number ~= '0' and page.number, page.title) }
    for _, section in ipairs(page.sections) do
      lines:insert(contents_line('section', section.id, section.number,
        section.title))
    end
    return table.concat(lines, '\n')
  end)
end

-- Each chapter's pages bear its title in their head.
local function page_rule(page, index)
  return string.format('@page part%d { @top-right { content: "%s"; } }', index,
    (page_html.title(page):gsub('["\\]', '\\%0')))
end

-- A short listing stays on one page.
local function keep_short(body)
  return (body:gsub('<pre class="code(.-)</pre>', function(rest)
    local _, breaks = rest:gsub('\n', '')
    return breaks < SHORT and '<pre class="short code' .. rest .. '</pre>'
  end))
end

-- A reader of paper hears nothing, so a formula's MathML is left out. On one
-- page, footnotes need the chapter in their ids.
local function part(page, index, formulas)
  local body = page_html.with_formulas(page.body, formulas, function(html)
    return (html:gsub('<span class="katex%-mathml">.-</math></span>', ''))
  end)
  body = body:gsub('href="[^"#:]*%.html#', 'href="#'):gsub(' tabindex="0"', '')
    :gsub('id="fn', '%0' .. index .. '-')
    :gsub('href="#fn', '%0' .. index .. '-')
    :gsub('<h%d.-</h%d>', function(heading) return heading:gsub('\n', ' ') end)
  return string.format('<div class="part" style="page: part%d">\n%s</div>',
    index, keep_short(body))
end

-- print.html; the style is that of the pages.
return function(book, list, formulas, template)
  return format.fill(template, {
    title = escape(book.title), subtitle = escape(book.subtitle),
    description = escape(book.description), contents = contents(list),
    rules = format.each(list, '\n', page_rule),
    body = format.each(list, '\n', function(page, index)
      return part(page, index, formulas)
    end),
    picture = page_html.first_drawing(book.landing),
    head = (book.title:gsub('["\\]', '\\%0')),
  })
end
