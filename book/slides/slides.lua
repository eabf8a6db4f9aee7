-- Writes the slides, and their handout, to the folder pages/ of BOOK_OUT.
local deck = require 'slides.deck'
local files = require 'common.files'
local format = require 'common.format'
local inlines = require 'read.inlines'
local page_html = require 'write.page_html'
local report = require 'common.report'

local escape = format.escape

local function html(blocks, math)
  return page_html.with_formulas(page_html.of(blocks), math,
    function(formula) return formula end)
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
  local last
  local items = format.each(slides, '\n', function(slide, index)
    if slide.part == last then return nil end
    last = slide.part
    local number = last.name:match('%d+')
    return string.format('<li%s><a href="#%d">%s</a></li>',
      number and ' value="' .. number .. '"' or '', index + 1,
      escape(last.title))
  end)
  return section(1, total, ' title', string.format('<h1>%s</h1>\n<p>%s</p>',
    escape(book.title), escape(book.subtitle)),
    '<ol>\n' .. items .. '\n</ol>', '')
end

-- The sections of all slides, which the deck and the handout share. with_notes:
-- what the teacher says stands behind each.
local function body_of(book, slides, math, with_notes)
  local total = #slides + 1
  local first = title_slide(book, slides, total) .. (with_notes and notes(
    '<p>Arrows and space go on, <b>Home</b> and <b>End</b> to '
    .. 'the ends, <b>n</b> shows these notes, <b>d</b> turns the lights off '
    .. 'and on.</p>') or '')
  return first .. format.each(slides, '', function(slide, index)
    local name = (slide.shows and ' shows' or '')
      .. (slide.size and ' ' .. slide.size or '')
    return section(index + 1, total, name,
      html({ pandoc.Header(2, slide.title) }, math), html(slide.body, math),
      escape(slide.part.name .. ' \u{b7} ' .. slide.part.title))
      .. (with_notes and notes(html(slide.notes, math)) or '')
  end)
end

local function theme(name)
  return files.text(files.HERE .. 'slides/' .. name)
end

-- pages: of the chapters.
return function(book, pages)
  local slides = deck.read(pages)
  local math = page_html.formulas(inlines.formulas)
  report.stop_on_errors('the slides are not built.')
  local out = os.getenv('BOOK_OUT')
  local body = body_of(book, slides, math, os.getenv('BOOK_STUDENT') ~= '1')
  local function write(name, style, text)
    files.write(out .. '/pages/' .. name .. '.html', format.fill(
      theme(name .. '.html'), { title = escape(book.title), body = text,
        script = theme('slides.js'),
        styles = files.text(out .. '/book.css') .. theme('slide.css')
          .. theme(style)
          .. (#math > 0 and files.text(out .. '/katex.css') or '') }))
  end
  write('slides', 'screen.css', body)
  write('handout', 'handout.css', body)
end
