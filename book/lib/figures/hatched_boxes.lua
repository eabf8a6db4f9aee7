-- Boxes that differ in how opaque they are and in hatching, so that they can be
-- told apart without colour. Works outside pandoc too.
local hatched_boxes = {}

local STEP = 6  -- between two lines of a hatching

-- Lines from edge to edge of a box at 45 degrees, rising or falling.
local function slanted(x, y, width, height, rises)
  local path = {}
  for sum = STEP, width + height, STEP do
    local from, to = math.max(0, sum - height), math.min(width, sum)
    local start = rises and y + sum - from or y + height - sum + from
    path[#path + 1] = string.format('M%.1f %.1fl%.1f %.1f', x + from, start,
      to - from, rises and from - to or to - from)
  end
  return table.concat(path)
end

-- The path of each hatching in a box. An SVG pattern would do it in a line, but
-- Chromium prints patterns as pictures of dots: slowly, and ten times as large.
local HATCHES = {}

function HATCHES.slant(x, y, width, height)
  return slanted(x, y, width, height, true)
end

function HATCHES.cross(x, y, width, height)
  return slanted(x, y, width, height, true) .. slanted(x, y, width, height)
end

function HATCHES.bars(x, y, width, height)
  local path = {}
  for at = STEP / 2, width, STEP do
    path[#path + 1] = string.format('M%.1f %.1fv%d', x + at, y, height)
  end
  return table.concat(path)
end

function HATCHES.dots(x, y, width, height)
  local path = {}
  for at = STEP / 2, height, STEP do
    path[#path + 1] = string.format('M%.1f %.1fh%.1f', x, y + at, width)
  end
  return table.concat(path)
end

-- hatch: a name from above, or nil.
function hatched_boxes.box(parts, opacity, hatch, x, y, width, height)
  local function rect(attributes)
    parts[#parts + 1] = string.format('<rect x="%.2f" y="%.1f" width="%.2f" '
      .. 'height="%d" %s/>', x, y, width, height, attributes)
  end
  if opacity > 0 then
    rect(string.format('class="bar" fill="#0a5c9e" fill-opacity="%.2f"',
      opacity))
  end
  local path = hatch and HATCHES[hatch](x, y, width, height) or ''
  if path ~= '' then
    parts[#parts + 1] = string.format('<path d="%s" class="line" '
      .. 'stroke="#1f2328" stroke-opacity="0.55" fill="none"%s/>', path,
      hatch == 'dots' and ' stroke-dasharray="2 4"' or '')
  end
  rect('class="box" fill-opacity="0" stroke="#1f2328" stroke-width="0.6"')
end

return hatched_boxes
