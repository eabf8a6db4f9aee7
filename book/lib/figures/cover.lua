-- The EPUB's cover: the title over bars of recorded figures, from the lines of
-- "cover" in book.yaml, each "LABEL | EXPRESSION | FORMAT".
local files = require 'common.files'
local format = require 'common.format'
local plot = require 'figures.plot'
local poster = require 'figures.poster'
local report = require 'common.report'
local results = require 'data.results'
local typed = require 'text.typed_figures'
local cover = {}

local PATH = 'chapters/book.yaml'
local WIDTH, HEIGHT, EDGE, LEFT, RIGHT = 1000, 1600, 70, 230, 190
local BARS, BOTTOM, MOST_STEP = 800, 1560, 100

-- What the lines say: {label, value, text} of each.
function cover.bars(lines)
  local bars = {}
  for _, line in ipairs(lines) do
    local where = { file = PATH, line = files.line_of(PATH, line) }
    local label, expression, pattern, more = table.unpack(plot.fields(line))
    if not pattern or more then
      report.at(where, 'a bar of the cover is "LABEL | VALUE | FORMAT"')
    else
      typed.check(label, where)
      results.stale = false
      local value = results.evaluate(expression, where)
      if results.stale then label = label .. ', stale' end
      local text, reason
      if type(value) == 'number' and value > 0 then
        text, reason = format.value(value, pattern)
        if not text then report.at(where, '%s', reason) end
      elseif value ~= nil then
        report.at(where, '"%s" is no number that a bar can show', expression)
      end
      bars[#bars + 1] = { label = label, value = value, text = text }
    end
  end
  return bars
end

-- For those who can't see it.
function cover.text(book)
  local parts = {}
  for index, bar in ipairs(book.cover) do
    parts[index] = bar.label .. ': ' .. bar.text
  end
  return book.title .. '. Bars of measured figures: '
    .. table.concat(parts, '; ') .. '.'
end

function cover.svg(book)
  local parts, y, most = {}, 180, 0
  for _, line in ipairs(poster.wrapped(book.title, 15)) do
    poster.put(parts, EDGE, y, 104, '#ffffff', line, ' font-weight="bold"')
    y = y + 122
  end
  for _, line in ipairs(poster.wrapped(book.subtitle or '', 40)) do
    poster.put(parts, EDGE, y, 42, '#c8d4e0', line)
    y = y + 56
  end
  for _, bar in ipairs(book.cover) do most = math.max(most, bar.value) end
  local step = math.min(MOST_STEP, (BOTTOM - BARS) / #book.cover)
  for index, bar in ipairs(book.cover) do
    local top = BARS + (index - 1) * step
    local width = (WIDTH - LEFT - RIGHT) * bar.value / most
    local base = top + step * 0.5
    poster.put(parts, EDGE, base, 28, '#c8d4e0', bar.label)
    parts[#parts + 1] = string.format('<rect x="%d" y="%.1f" width="%.1f" '
      .. 'height="%.1f" fill="%s"/>', LEFT, top, width, step * 0.62,
      index == #book.cover and '#f0a36b' or '#5ba3e0')
    poster.put(parts, LEFT + width + 14, base, 28, '#ffffff', bar.text)
  end
  return string.format('<svg xmlns="http://www.w3.org/2000/svg" width="%d" '
    .. 'height="%d" viewBox="0 0 %d %d" font-family="sans-serif" role="img">\n'
    .. '<title>%s</title>\n<rect width="%d" height="%d" fill="#12202f"/>\n'
    .. '%s\n</svg>\n', WIDTH, HEIGHT, WIDTH, HEIGHT,
    format.escape(cover.text(book)), WIDTH, HEIGHT, table.concat(parts, '\n'))
end

return cover
