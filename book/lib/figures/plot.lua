-- What the figures drawn from results have in common: a frame, text, lines,
-- an axis, and the reading of their lines.
local format = require 'common.format'
local report = require 'common.report'
local results = require 'data.results'
local plot = { WIDTH = 480, LEFT = 4 }

-- width: of a figure that needs more room than most.
function plot.svg(parts, height, width)
  return string.format('<svg xmlns="http://www.w3.org/2000/svg"%s '
    .. 'viewBox="0 0 %d %d" font-family="sans-serif">\n%s\n</svg>',
    width and '' or ' class="plot"', width or plot.WIDTH, height,
    table.concat(parts, '\n'))
end

-- anchor: where x is in the text, "start", "middle" or "end".
function plot.text(x, y, class, text, anchor)
  return string.format('<text x="%.1f" y="%.1f" class="%s" font-size="13" '
    .. 'fill="#1f2328"%s>%s</text>', x, y, class,
    anchor and ' text-anchor="' .. anchor .. '"' or '', format.escape(text))
end

function plot.line(class, colour, width, x1, y1, x2, y2)
  return string.format('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" '
    .. 'class="%s" stroke="%s" stroke-width="%s"/>', x1, y1, x2, y2, class,
    colour, width)
end

-- A step for about four ticks: 1, 2 or 5 times a power of ten.
local function tick_step(maximum)
  local power = 10 ^ math.floor(math.log(maximum / 4, 10))
  for _, factor in ipairs { 1, 2, 5, 10 } do
    if power * factor * 5 >= maximum then return power * factor end
  end
end

-- Vertical lines with their values below, from y = 4 to 26 above the bottom.
-- pattern: of the bars' numbers.
function plot.axis(parts, scale, maximum, bottom, unit, pattern)
  local form = (pattern or ''):find '/1000$' and '%g/1000' or '%g'
  local step = tick_step(maximum)
  local count = math.floor(maximum / step + 1e-9)
  for index = 0, count do
    local x = plot.LEFT + index * step * scale
    parts[#parts + 1] =
      plot.line('grid', '#d0d7de', 1, x, 4, x, bottom - 26)
    local label = format.value(index * step, form)
    if index == count then label = label .. ' ' .. unit end
    parts[#parts + 1] = plot.text(x, bottom - 8, 'tick', label,
      index > 0 and 'middle' or nil)
  end
end

function plot.bar(x, y, width, height)
  return string.format('<rect x="%d" y="%g" width="%.1f" height="%d" '
    .. 'class="bar" fill="#0a5c9e"/>', x, y, width, height)
end

-- What an expression is worth as the length of a bar; nil where it is none.
function plot.length(expression, where)
  local value = results.evaluate(expression, where)
  if value == nil then return nil end
  if type(value) ~= 'number' or value < 0 then
    return report.at(where, '"%s" is no number that a bar can show', expression)
  end
  return value
end

-- Whether numbers can be shown so; reports where not.
function plot.has_format(pattern, context)
  local _, reason = format.value(1, pattern)
  if reason then report.at(context, '%s', reason) end
  return not reason
end

-- Fields of a line "A | B | C", without the white space around them.
function plot.fields(text)
  local fields = {}
  for field in (text .. '|'):gmatch('([^|]*)|') do
    fields[#fields + 1] = field:match('^%s*(.-)%s*$')
  end
  return fields
end

-- Each line of a block that is not blank, and its place.
function plot.lines(block, context)
  local list, line = {}, context.line
  for text in (block.text .. '\n'):gmatch('([^\n]*)\n') do
    line = line + 1
    if text:find('%S') then
      list[#list + 1] =
        { text = text, where = { file = context.file, line = line } }
    end
  end
  return ipairs(list)
end

return plot
