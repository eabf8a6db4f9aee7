-- Pictures that stand alone, the title over or beside the drawing of the first
-- page: the EPUB's cover, and what stands beside a link to the book.
local files = require 'common.files'
local format = require 'common.format'
local posters = {}

-- A text in lines of so many characters, the first at y, each a step below the
-- one before; and the place below them.
local function wrapped(text, most, y, step)
  local lines = {}
  for word in format.escape(text):gmatch('%S+') do
    local last = lines[#lines]
    if last and utf8.len(last.text .. ' ' .. word) <= most then
      last.text = last.text .. ' ' .. word
    else
      lines[#lines + 1] = { text = word, y = y + step * #lines }
    end
  end
  return lines, y + step * #lines
end

local function poster(name, book, drawing, title, subtitle)
  local lines, y = wrapped(book.title, table.unpack(title))
  return format.fill(files.text(files.HERE .. 'templates/' .. name), {
    title = lines, drawing = drawing,
    subtitle = wrapped(book.subtitle, subtitle[1], y + 8, subtitle[2]) })
end

function posters.cover(book, drawing)
  return poster('cover.svg', book, drawing, { 15, 180, 122 }, { 40, 56 })
end

function posters.share(book, drawing)
  return poster('share.svg', book, drawing, { 13, 130, 64 }, { 28, 34 })
end

-- For those who can't see it, as HTML.
function posters.text(book, drawing)
  return format.escape(book.title) .. '. '
    .. drawing:match('^<svg[^>]-aria%-label="([^"]*)"')
end

return posters
