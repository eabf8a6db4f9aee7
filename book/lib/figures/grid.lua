-- A cell of a grid, with a text in its middle; a marked one is coloured.
local format = require 'common.format'

return function(parts, x, y, width, height, text, marked)
  parts[#parts + 1] = string.format('<rect x="%d" y="%d" width="%d" '
    .. 'height="%d" class="box" fill="#f6f5f0" stroke="#1f2328" '
    .. 'stroke-width="0.6"/>', x, y, width, height)
  if marked then
    parts[#parts + 1] = string.format('<rect x="%d" y="%d" width="%d" '
      .. 'height="%d" class="accent" fill="#b3460e" fill-opacity="0.3"/>', x, y,
      width, height)
  end
  parts[#parts + 1] = string.format('<text x="%.1f" y="%.1f" class="%s" '
    .. 'font-size="11" fill="#1f2328" text-anchor="middle">%s</text>',
    x + width / 2, y + height / 2 + 4, marked and 'label' or 'tick',
    format.escape(text))
end
