-- A drawing of what the warps of one block did: a row a warp, a box a visit to
-- a phase. Also used by tools/timeline/draw.lua.
local hatched_boxes = require 'figures.hatched_boxes'
local timeline = {}

local WIDTH, LEFT, TOP, ROW, BAR, LEGEND = 720, 74, 10, 32, 24, 4

-- Phases differ in shade, in hatching and by their label, so that they can be
-- told apart without colour. Each: the label in a box, how opaque it is, and
-- the hatching.
local STYLES = {
  { 'Q_load', 'Q', 0.12 },
  { 'KV_prefetch', 'copy', 0, 'dots' },
  { 'wait_copy', 'wait', 0, 'cross' },
  { 'dequant', 'dequant', 0.12, 'dots' },
  { 'wait_barrier', 'wait', 0, 'slant' },
  { 'WMMA_QK', 'QK', 0.55 },
  { 'softmax', 'softmax', 0.25 },
  { 'PV_accum', 'PV', 0.55, 'bars' },
  { 'store_O', 'O', 0.12, 'bars' },
  { 'V_turn', 'turn V', 0.12, 'slant' },
  { 'wait_product', 'wait', 0, 'bars' },
}

local function text_at(x, y, class, text, extra)
  return string.format('<text x="%.1f" y="%.1f" class="%s" font-size="12" '
    .. 'fill="#1f2328"%s>%s</text>', x, y, class, extra or '', text)
end

local function style_of(phase)
  for _, style in ipairs(STYLES) do
    if style[1] == phase then return style end
  end
  error('no such phase: ' .. tostring(phase), 0)
end

local function axis(parts, scale, cycles, bottom, unit)
  local step = 100
  while cycles / step > 7 do
    step = step * (tostring(step):match('^2') and 2.5 or 2)
  end
  for at = 0, cycles, step do
    local x = LEFT + at * scale
    parts[#parts + 1] = string.format('<line x1="%.1f" x2="%.1f" y1="%d" '
      .. 'y2="%.1f" class="grid" stroke="#d0d7de"/>', x, x, TOP - 4, bottom)
    parts[#parts + 1] = text_at(x, bottom + 14, 'tick',
      string.format('%d', math.floor(at)), ' text-anchor="middle"')
  end
  parts[#parts + 1] = text_at(4, bottom + 14, 'tick', unit)
end

local function legend(parts, seen, top)
  local column, width = 0, (WIDTH - 8) / LEGEND
  for _, style in ipairs(STYLES) do
    if seen[style[1]] then
      local x = 4 + column % LEGEND * width
      local y = top + column // LEGEND * 22
      hatched_boxes.box(parts, style[3], style[4], x, y, 26, 14)
      parts[#parts + 1] = text_at(x + 32, y + 12, 'label', style[1])
      column = column + 1
    end
  end
  return top + (column + LEGEND - 1) // LEGEND * 22
end

-- data: a summary's `drawing`, a visit being "PHASE FROM TO"; title; unit of
-- its numbers; cycles: where the axis ends (default: where the drawing does);
-- numbers: of the warps that are drawn (default: all).
function timeline.svg(data, title, unit, cycles, numbers)
  if not numbers then
    numbers = {}
    for index = 1, #data.warps do numbers[index] = index - 1 end
  end
  local rows, parts, seen = #numbers, {}, {}
  local bottom = TOP + rows * ROW
  cycles = math.max(cycles or 0, data.cycles)
  local scale = (WIDTH - LEFT - 14) / cycles
  axis(parts, scale, cycles, bottom, unit)
  for row, number in ipairs(numbers) do
    local warp = data.warps[number + 1]
    local y = TOP + (row - 1) * ROW
    parts[#parts + 1] = text_at(4, y + 16, 'label', string.format('%s %d',
      warp.role == 'producer' and 'producer' or 'warp', number))
    assert(type(warp.visits) == 'table', 'no list of visits')
    for _, visit in ipairs(warp.visits) do
      local phase, from, to = visit:match('^([%w_]+) (%d+) (%d+)$')
      local style = style_of(phase)
      local x, width = LEFT + from * scale, (to - from) * scale
      seen[phase] = true
      hatched_boxes.box(parts, style[3], style[4], x, y, width, BAR)
      if width > 7 * #style[2] + 6 then
        parts[#parts + 1] = text_at(x + width / 2, y + 16, 'label', style[2],
          ' text-anchor="middle"')
      end
    end
  end
  local height = legend(parts, seen, bottom + 28) + 2
  return string.format('<svg xmlns="http://www.w3.org/2000/svg" '
    .. 'viewBox="0 0 %d %d" font-family="sans-serif">\n<title>%s</title>\n'
    .. '<desc>One row for each of %d warps of block %d, time from left to '
    .. 'right: %d %s from step %d on.</desc>\n%s\n</svg>\n', WIDTH, height,
    title, rows, math.floor(data.block), math.floor(data.cycles), unit,
    math.floor(data.first_step), table.concat(parts, '\n'))
end

return timeline
