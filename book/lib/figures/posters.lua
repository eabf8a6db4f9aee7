-- Pictures that stand alone: the EPUB's cover, the title over bars of recorded
-- figures; and what stands beside a link to the book.
local block_lines = require 'data.block_lines'
local files = require 'common.files'
local format = require 'common.format'
local report = require 'common.report'
local results = require 'data.results'
local svg = require 'figures.svg'
local typed = require 'text.typed_figures'
local posters = { WIDTH = 1200, HEIGHT = 630 }

local PATH = 'chapters/book.yaml'

local function put(parts, x, y, size, colour, text, weight)
  parts[#parts + 1] = svg.element('text', { x = x, y = y, font_size = size,
    fill = colour, font_weight = weight }, format.escape(text))
end

-- A text in lines of at most so many characters; gives the place below it.
local function put_lines(parts, text, most, x, y, size, step, colour, weight)
  local lines = {}
  for word in (text or ''):gmatch('%S+') do
    local longer = #lines > 0 and lines[#lines] .. ' ' .. word
    local fits = longer and utf8.len(longer) <= most
    lines[fits and #lines or #lines + 1] = fits and longer or word
  end
  for _, line in ipairs(lines) do
    put(parts, x, y, size, colour, line, weight)
    y = y + step
  end
  return y
end

local function picture(parts, width, height, font)
  return svg.element('svg', { xmlns = 'http://www.w3.org/2000/svg',
    width = width, height = height, role = 'img', font_family = font,
    viewBox = string.format('0 0 %d %d', width, height) },
    '\n' .. table.concat(parts, '\n') .. '\n') .. '\n'
end

local function bar_of(line, where)
  local label, expression, pattern, more =
    table.unpack(block_lines.fields(line))
  if not pattern or more then
    report.stop(where, 'a bar of the cover is "LABEL | VALUE | FORMAT"')
  end
  typed.check(label, where)
  results.stale = false
  local value = block_lines.length(expression, where)
  return { label = label .. (results.stale and ', stale' or ''), value = value,
    text = block_lines.shown(value, pattern, where) }
end

-- What the lines of "cover" in book.yaml say, each "LABEL | EXPRESSION |
-- FORMAT": {label, value, text} of each.
function posters.bars(lines)
  local bars = {}
  for _, line in ipairs(lines) do
    bars[#bars + 1] = report.attempt(error, bar_of, line,
      { file = PATH, line = files.line_of(PATH, line) })
  end
  return bars
end

-- For those who can't see it.
function posters.cover_text(book)
  local parts = {}
  for index, bar in ipairs(book.cover) do
    parts[index] = bar.label .. ': ' .. bar.text
  end
  return book.title .. '. Bars of measured figures: '
    .. table.concat(parts, '; ') .. '.'
end

function posters.cover(book)
  local width, height, edge, left, most = 1000, 1600, 70, 230, 0
  local parts = {
    '<title>' .. format.escape(posters.cover_text(book)) .. '</title>',
    svg.element('rect', { width = width, height = height, fill = '#12202f' }) }
  local y = put_lines(parts, book.title, 15, edge, 180, 104, 122, '#ffffff',
    'bold')
  put_lines(parts, book.subtitle, 40, edge, y, 42, 56, '#c8d4e0')
  for _, bar in ipairs(book.cover) do most = math.max(most, bar.value) end
  local step = math.min(100, 760 / #book.cover)
  for index, bar in ipairs(book.cover) do
    local top = 800 + (index - 1) * step
    local length = 580 * bar.value / most
    put(parts, edge, top + step / 2, 28, '#c8d4e0', bar.label)
    parts[#parts + 1] = svg.element('rect', { x = left, y = top,
      width = length, height = step * 0.62,
      fill = index == #book.cover and '#f0a36b' or '#5ba3e0' })
    put(parts, left + length + 14, top + step / 2, 28, '#ffffff', bar.text)
  end
  return picture(parts, width, height, 'sans-serif')
end

-- For links: the title, and the drawing of the first page, an SVG with a
-- viewBox, or nil.
function posters.share(book, drawing)
  local parts = { '<rect width="100%" height="100%" fill="#ffffff"/>' }
  local y = put_lines(parts, book.title, 13, 56, 130, 52, 64, '#1f2328', 'bold')
  put_lines(parts, book.subtitle, 28, 56, y + 8, 24, 34, '#59636e')
  if drawing then
    parts[#parts + 1] = drawing:gsub('^<svg', string.format(
      '<svg x="480" y="56" width="664" height="%d"', posters.HEIGHT - 112), 1)
  end
  return picture(parts, posters.WIDTH, posters.HEIGHT,
    'DejaVu Sans, sans-serif')
end

-- For those who can't see it.
function posters.share_text(book, drawing)
  local alt = drawing and drawing:match('^<svg[^>]-aria%-label="([^"]*)"')
  return format.escape(book.title) .. (alt and '. ' .. alt or '')
end

return posters
