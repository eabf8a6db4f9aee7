-- Writes the book as HTML pages: an index, a page for each chapter, answers,
-- terms and sources.
local bodies = require 'bodies'
local files = require 'files'
local format = require 'format'
local pages = {}

local KATEX = '<link rel="stylesheet" href="katex/katex.min.css">'
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
  files.write(out .. '/' .. page.page, format.fill(template, {
    language = book.language or 'en', book = escape(book.title),
    title = escape(name), katex = has_formulas and KATEX or '',
    widgets = widget_scripts(body),
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
  local formats = book.all_formats
    and string.format(FORMAT_LINKS, book.name, book.name) or ''
  return string.format('<div class="title"><h1>%s</h1>\n<p class="subtitle">%s'
    .. '</p>\n<p>%s</p>\n%s</div>\n<ol class="contents">\n%s\n</ol>',
    escape(book.title), escape(book.subtitle or ''),
    escape(book.description or ''), formats, table.concat(items, '\n'))
end

-- Tables and displayed formulas scroll, and a keyboard can reach them.
local function page_body(page, formulas)
  local body = page.body
    :gsub('<table', '<div class="scroll" tabindex="0"><table')
    :gsub('</table>', '</table></div>')
  return bodies.with_formulas(body, formulas, function(html)
    return html:gsub('^<span class="katex%-display"', '%0 tabindex="0"')
  end)
end

-- Writes each page, and an index before them, to the folder out.
function pages.write(book, chapters, formulas, out, template)
  local list = { { page = 'index.html', title = book.title } }
  table.move(chapters, 1, #chapters, 2, list)
  for index, page in ipairs(list) do
    local body = index == 1 and index_body(book, list)
      or page_body(page, formulas)
    write_page(book, list, index, body, out, template)
  end
end

return pages
