-- Text in pictures that stand alone, such as the cover.
local format = require 'common.format'
local poster = {}

-- A text in lines of at most so many characters.
function poster.wrapped(text, most)
  local lines = {}
  for word in text:gmatch('%S+') do
    local longer = #lines > 0 and lines[#lines] .. ' ' .. word
    if longer and utf8.len(longer) <= most then
      lines[#lines] = longer
    else
      lines[#lines + 1] = word
    end
  end
  return lines
end

function poster.put(parts, x, y, size, colour, text, more)
  parts[#parts + 1] = string.format('<text x="%.1f" y="%.1f" font-size="%d" '
    .. 'fill="%s"%s>%s</text>', x, y, size, colour, more or '',
    format.escape(text))
end

return poster
