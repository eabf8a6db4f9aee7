-- A drawing of what the warps of one block did: a row a warp, a box a visit to
-- a phase. Also used by tools/timeline/draw.lua.
local format = require 'common.format'
local svg = require 'figures.svg'
local timeline = {}

local WIDTH, LEFT, TOP, ROW = 720, 74, 10, 32

-- Phases differ in shade, in hatching and by their label, so that they can be
-- told apart without colour.
local STYLES = {
  { 'Q_load', 'Q', { 0.12 } },
  { 'KV_prefetch', 'copy', { 0, 'dots' } },
  { 'wait_copy', 'wait', { 0, 'cross' } },
  { 'dequant', 'dequant', { 0.12, 'dots' } },
  { 'wait_barrier', 'wait', { 0, 'slant' } },
  { 'WMMA_QK', 'QK', { 0.55 } },
  { 'softmax', 'softmax', { 0.25 } },
  { 'PV_accum', 'PV', { 0.55, 'bars' } },
  { 'store_O', 'O', { 0.12, 'bars' } },
  { 'V_turn', 'turn V', { 0.12, 'slant' } },
  { 'wait_product', 'wait', { 0, 'bars' } },
}

local function axis(picture, scale, cycles, bottom, unit)
  local step = 100
  while cycles / step > 7 do
    step = step * (tostring(step):match('^2') and 2.5 or 2)
  end
  for at = 0, cycles, step do
    local x = LEFT + at * scale
    picture:line('grid', x, TOP - 4, x, bottom)
    picture:text(x, bottom + 14, 'tick', string.format('%d', math.floor(at)),
      'middle')
  end
  picture:text(4, bottom + 14, 'tick', unit)
end

-- data: a summary's `drawing`, a visit being "PHASE FROM TO"; title; unit of
-- its numbers; cycles: where the axis ends (default: where the drawing does);
-- numbers: of the warps that are drawn (default: all).
function timeline.svg(data, title, unit, cycles, numbers)
  if not numbers then
    numbers = {}
    for index = 1, #data.warps do numbers[index] = index - 1 end
  end
  local picture, styles, legend = svg.new(WIDTH, 12), {}, {}
  for _, style in ipairs(STYLES) do styles[style[1]] = style end
  picture[1] = '<title>' .. format.escape(title) .. '</title>'
  picture[2] = string.format('<desc>One row for each of %d warps of block %d, '
    .. 'time from left to right: %d %s from step %d on.</desc>', #numbers,
    math.floor(data.block), math.floor(data.cycles), unit,
    math.floor(data.first_step))
  local bottom = TOP + #numbers * ROW
  cycles = math.max(cycles or 0, data.cycles)
  local scale = (WIDTH - LEFT - 14) / cycles
  axis(picture, scale, cycles, bottom, unit)
  for row, number in ipairs(numbers) do
    local warp = data.warps[number + 1]
    local y = TOP + (row - 1) * ROW
    picture:text(4, y + 16, 'label', string.format('%s %d',
      warp.role == 'producer' and 'producer' or 'warp', number))
    assert(type(warp.visits) == 'table', 'no list of visits')
    for _, visit in ipairs(warp.visits) do
      local phase, from, to = visit:match('^([%w_]+) (%d+) (%d+)$')
      local style = styles[phase] or error('no such phase', 0)
      local x, width = LEFT + from * scale, (to - from) * scale
      style.seen = picture
      picture:shaded(style[3], x, y, width, 24)
      if width > 7 * #style[2] + 6 then
        picture:text(x + width / 2, y + 16, 'label', style[2], 'middle')
      end
    end
  end
  for _, style in ipairs(STYLES) do
    if style.seen == picture then
      legend[#legend + 1] = { style[3], style[1] }
    end
  end
  return picture:finish(picture:legend(legend, bottom + 28, 4) + 2)
end

return timeline
