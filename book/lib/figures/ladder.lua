-- Horizontal bars, one below the other, with whiskers for the noise.
local format = require 'common.format'
local plot = require 'figures.plot'
local report = require 'common.report'
local typed = require 'text.typed_figures'

local BAR, STEP, RIGHT = 16, 46, 72

local function bar(parts, entry, top, scale, pattern)
  local middle, width = top + 22 + BAR / 2, entry.value * scale
  local edge = plot.LEFT + width
  parts[#parts + 1] = plot.text(plot.LEFT, top + 14, 'label', entry.label)
  parts[#parts + 1] = plot.bar(plot.LEFT, top + 22, width, BAR)
  if entry.low then
    local low, high = plot.LEFT + entry.low * scale,
      plot.LEFT + entry.high * scale
    parts[#parts + 1] = string.format(
      '<path d="M%.1f %.1fV%.1fM%.1f %.1fV%.1fM%.1f %.1fH%.1f" '
      .. 'class="whisker" fill="none" stroke="#b3460e" stroke-width="2"/>',
      low, middle - 6, middle + 6, high, middle - 6, middle + 6, low, middle,
      high)
    edge = math.max(edge, high)
  end
  parts[#parts + 1] = plot.text(edge + 6, middle + 5, 'value',
    format.value(entry.value, pattern))
end

-- "Label | EXPRESSION", then "| SPREAD" or "| LOW | HIGH" for the whisker.
local function entry_of(text, where)
  local fields = plot.fields(text)
  if #fields < 2 or #fields > 4 then
    return report.at(where,
      'a bar is "LABEL | VALUE", "| SPREAD" or "| LOW | HIGH"')
  end
  typed.check(fields[1], where)
  local numbers = {}
  for index = 2, #fields do
    local value = plot.length(fields[index], where)
    if value == nil then return nil end
    numbers[index - 1] = value
  end
  local value, low, high = table.unpack(numbers)
  if low and not high then low, high = math.max(0, value - low), value + low end
  return { label = fields[1], value = value, low = low, high = high }
end

return function(block, attributes, context)
  local entries, maximum = {}, 0
  for _, line in plot.lines(block, context) do
    local entry = entry_of(line.text, line.where)
    if not entry then return nil end
    entries[#entries + 1] = entry
    maximum = math.max(maximum, entry.high or entry.value)
  end
  if maximum == 0 then
    return report.at(context, 'the figure shows nothing')
  end
  if not plot.has_format(attributes.fmt, context) then return nil end
  local scale = (plot.WIDTH - plot.LEFT - RIGHT) / maximum
  local parts, height = {}, #entries * STEP + 34
  plot.axis(parts, scale, maximum, height, attributes.unit or '',
    attributes.fmt)
  for index, entry in ipairs(entries) do
    bar(parts, entry, (index - 1) * STEP, scale, attributes.fmt)
  end
  return plot.svg(parts, height)
end
