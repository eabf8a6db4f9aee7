-- Writes the slides as HTML: sections that the deck and the handout share.
local format = require 'common.format'
local page_html = require 'write.page_html'
local pages = {}

local escape = format.escape

local function html(blocks, math)
  local text = pandoc.write(pandoc.Pandoc(blocks), 'html5',
    pandoc.WriterOptions(PANDOC_WRITER_OPTIONS))
  return page_html.with_formulas(text, math, function(formula)
    return formula
  end)
end

local function section(number, total, name, head, body, foot)
  return string.format('<section class="slide%s" id="%d" aria-label='
    .. '"Slide %d of %d">\n%s\n<div class="body">\n%s\n</div>\n<footer><span>'
    .. '%s</span> <span class="count">%d</span></footer>\n</section>\n',
    name, number, number, total, head, body, foot, number)
end

local function notes(text)
  return '<aside class="notes" aria-label="Notes">\n' .. text .. '\n</aside>\n'
end

-- The first slide: the book's name, and where each part begins, with the number
-- of its chapter.
local function title_slide(book, slides, total)
  local items, last = {}, nil
  for index, slide in ipairs(slides) do
    if slide.part ~= last then
      last = slide.part
      local number = last.name:match('%d+')
      items[#items + 1] = string.format('<li%s><a href="#%d">%s</a></li>',
        number and ' value="' .. number .. '"' or '', index + 1,
        escape(last.title))
    end
  end
  return section(1, total, ' title', string.format('<h1>%s</h1>\n<p>%s</p>',
    escape(book.title), escape(book.subtitle or '')),
    '<ol>\n' .. table.concat(items, '\n') .. '\n</ol>', '')
end

-- The sections of all slides. with_notes: what the teacher says stands behind
-- each.
function pages.body(book, slides, math, with_notes)
  local total = #slides + 1
  local parts = { title_slide(book, slides, total) }
  if with_notes then
    parts[2] = notes('<p>Arrows and space go on, <b>Home</b> and <b>End</b> to '
      .. 'the ends, <b>n</b> shows these notes, <b>d</b> turns the lights off '
      .. 'and on.</p>')
  end
  for index, slide in ipairs(slides) do
    local head = html({ pandoc.Header(2, slide.title) }, math)
    local foot = escape(slide.part.name .. ' \u{b7} ' .. slide.part.title)
    local name = (slide.shows and ' shows' or '')
      .. (slide.size and ' ' .. slide.size or '')
    parts[#parts + 1] = section(index + 1, total, name, head,
      html(slide.body, math), foot)
    if with_notes then
      parts[#parts + 1] = notes(html(slide.notes, math))
    end
  end
  return table.concat(parts)
end

function pages.fill(book, body, template, styles, script)
  return format.fill(template, { language = book.language or 'en',
    title = escape(book.title), styles = styles, body = body,
    script = script })
end

-- Each slide in a frame, in which it is half as large.
function pages.framed(body)
  return (body:gsub('<section ', '<div class="frame">%0')
    :gsub('</section>', '%0</div>'))
end

return pages
