-- Writes the slides, and their handout, to the folder pages/ of BOOK_OUT.
local deck = require 'slides.deck'
local files = require 'common.files'
local format = require 'common.format'
local inlines = require 'read.inlines'
local page_html = require 'write.page_html'
local report = require 'common.report'

local escape = format.escape

-- What deck.html shows, which the deck and the handout share.
local function shown(book, slides, math)
  local deck, last = { title = escape(book.title), parts = {}, slides = {},
    subtitle = escape(book.subtitle), total = #slides + 1,
    -- what the teacher says
    with_notes = os.getenv('BOOK_STUDENT') ~= '1' }, nil
  local function html(blocks)
    return page_html.with_formulas(page_html.of(blocks), math,
      function(formula) return formula end)
  end
  for index, slide in ipairs(slides) do
    local part, id = slide.part, index + 1
    if part ~= last then
      table.insert(deck.parts, { id = id, number = part.name:match('%d+'),
        title = escape(part.title) })
    end
    last = part
    deck.slides[index] = { id = id, body = html(slide.body),
      title = html { pandoc.Header(2, slide.title) }, notes = html(slide.notes),
      class = (slide.shows and ' shows' or '')
        .. (slide.size and ' ' .. slide.size or ''),
      part = escape(part.name .. ' \u{b7} ' .. part.title) }
  end
  return deck
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
  local body = format.fill(theme 'deck.html', shown(book, slides, math))
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
