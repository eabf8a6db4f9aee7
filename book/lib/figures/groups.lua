-- Horizontal bars in groups under headings, all at one scale: who does how much
-- of what. The label is on the left of its bar.
local format = require 'common.format'
local plot = require 'figures.plot'
local report = require 'common.report'
local typed = require 'text.typed_figures'

local BAR, STEP, HEADING, LEFT, RIGHT = 12, 19, 28, 130, 52

-- "group LABEL": a heading. "bar LABEL | EXPRESSION": a bar of that group.
local function read(block, context)
  local rows, maximum, well = {}, 0, true
  for _, line in plot.lines(block, context) do
    local kind, text = line.text:match('^%s*(%l+)%s+(.*)$')
    local label, value, more = table.unpack(plot.fields(text or ''))
    typed.check(label, line.where)
    if kind == 'group' and not value then
      rows[#rows + 1] = { heading = label }
    elseif kind == 'bar' and value and not more and #rows > 0 then
      local number = plot.length(value, line.where)
      well = well and number
      rows[#rows + 1] = { label = label, value = number }
      maximum = math.max(maximum, number or 0)
    else
      report.at(line.where,
        'a line is "group LABEL", or behind one "bar LABEL | VALUE"')
      well = false
    end
  end
  if well and maximum == 0 then
    report.at(context, 'the figure shows nothing')
    well = false
  end
  return well and rows, maximum
end

return function(block, attributes, context)
  local rows, maximum = read(block, context)
  if not rows then return nil end
  if not plot.has_format(attributes.fmt, context) then return nil end
  local scale = (plot.WIDTH - LEFT - RIGHT) / maximum
  local parts, top = {}, 0
  for _, row in ipairs(rows) do
    if row.heading then
      parts[#parts + 1] = plot.text(plot.LEFT, top + 19, 'label', row.heading)
      top = top + HEADING
    else
      local width = row.value * scale
      parts[#parts + 1] = plot.text(LEFT - 8, top + 11, 'tick', row.label,
        'end')
      parts[#parts + 1] = plot.bar(LEFT, top, width, BAR)
      parts[#parts + 1] = plot.text(LEFT + width + 6, top + 11, 'value',
        format.value(row.value, attributes.fmt))
      top = top + STEP
    end
  end
  parts[#parts + 1] = plot.text(LEFT, top + 14, 'tick', attributes.unit or '')
  return plot.svg(parts, top + 22)
end
