-- Pictures that stand alone, the title over or beside the drawing of the first
-- page: the EPUB's cover, and what stands beside a link to the book.
local format = require 'common.format'
local svg = require 'figures.svg'
local posters = { WIDTH = 1200, HEIGHT = 630 }

-- A text in lines; gives the place below it. how: {x, most characters of a
-- line, size, step}.
local function put_lines(parts, text, y, how, colour, weight)
  local x, most, size, step = table.unpack(how)
  local lines = {}
  for word in text:gmatch('%S+') do
    local longer = #lines > 0 and lines[#lines] .. ' ' .. word
    local fits = longer and utf8.len(longer) <= most
    lines[fits and #lines or #lines + 1] = fits and longer or word
  end
  for _, line in ipairs(lines) do
    parts[#parts + 1] = svg.element('text', { x = x, y = y, font_size = size,
      fill = colour, font_weight = weight }, format.escape(line))
    y = y + step
  end
  return y
end

-- drawing: an SVG with a viewBox; place: attributes that say where it stands.
local function poster(book, drawing, width, height, y, title, subtitle, place)
  local parts = { '<rect width="100%" height="100%" fill="#ffffff"/>' }
  y = put_lines(parts, book.title, y, title, '#1f2328', 'bold')
  put_lines(parts, book.subtitle, y + 8, subtitle, '#59636e')
  parts[#parts + 1] = drawing:gsub('^<svg', '<svg ' .. place, 1)
  return svg.element('svg', { xmlns = 'http://www.w3.org/2000/svg',
    width = width, height = height, role = 'img',
    font_family = 'DejaVu Sans, sans-serif',
    viewBox = string.format('0 0 %d %d', width, height) },
    '\n' .. table.concat(parts, '\n') .. '\n') .. '\n'
end

function posters.cover(book, drawing)
  return poster(book, drawing, 1000, 1600, 180, { 70, 15, 104, 122 },
    { 70, 40, 42, 56 }, 'x="70" y="800" width="860" height="700"')
end

function posters.share(book, drawing)
  return poster(book, drawing, posters.WIDTH, posters.HEIGHT, 130,
    { 56, 13, 52, 64 }, { 56, 28, 24, 34 },
    'x="480" y="56" width="664" height="518"')
end

-- For those who can't see it, as HTML.
function posters.text(book, drawing)
  return format.escape(book.title) .. '. '
    .. drawing:match('^<svg[^>]-aria%-label="([^"]*)"')
end

return posters
