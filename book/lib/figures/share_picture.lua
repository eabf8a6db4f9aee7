-- The picture that stands beside a link to the book: its title, and the drawing
-- of its first page.
local format = require 'common.format'
local poster = require 'figures.poster'
local share_picture = { WIDTH = 1200, HEIGHT = 630 }

local EDGE, LEFT, ROOM = 56, 480, 664

-- drawing: an SVG with a viewBox, or nil.
function share_picture.svg(book, drawing)
  local parts, y = {}, 130
  for _, line in ipairs(poster.wrapped(book.title, 13)) do
    poster.put(parts, EDGE, y, 52, '#1f2328', line, ' font-weight="bold"')
    y = y + 64
  end
  for _, line in ipairs(poster.wrapped(book.subtitle or '', 28)) do
    poster.put(parts, EDGE, y + 8, 24, '#59636e', line)
    y = y + 34
  end
  if drawing then
    parts[#parts + 1] = drawing:gsub('^<svg', string.format(
      '<svg x="%d" y="56" width="%d" height="%d"', LEFT, ROOM,
      share_picture.HEIGHT - 112), 1)
  end
  return string.format('<svg xmlns="http://www.w3.org/2000/svg" width="%d" '
    .. 'height="%d" font-family="DejaVu Sans, sans-serif">\n'
    .. '<rect width="100%%" height="100%%" fill="#ffffff"/>\n%s\n</svg>\n',
    share_picture.WIDTH, share_picture.HEIGHT, table.concat(parts, '\n'))
end

-- For those who can't see it.
function share_picture.text(book, drawing)
  local alt = drawing and drawing:match('^<svg[^>]-aria%-label="([^"]*)"')
  return format.escape(book.title) .. (alt and '. ' .. alt or '')
end

return share_picture
