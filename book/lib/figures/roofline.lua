-- A roofline from recorded profiles: what a kernel does a second, over how much
-- it does for each byte that it asks of the L2 cache; both axes in decades.
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'
local typed = require 'text.typed_figures'

local WIDTH, HEIGHT = plot.WIDTH, 330
local LEFT, RIGHT, TOP, BOTTOM = 44, 12, 14, 44
local X_FROM, X_TO, Y_FROM = 10, 1000, 5 -- FLOP/byte, TFLOP/s
local top = 1000 -- TFLOP/s at the upper edge of this figure

local function place(value, from, to, start, length)
  return start + length * math.log(value / from) / math.log(to / from)
end
local function x_of(value)
  return place(value, X_FROM, X_TO, LEFT, WIDTH - LEFT - RIGHT)
end
local function y_of(value)
  return HEIGHT - BOTTOM -
    place(value, Y_FROM, top, 0, HEIGHT - TOP - BOTTOM)
end

local function axes(parts)
  for _, value in ipairs { 10, 20, 50, 100, 200, 500, 1000, 2000 } do
    if value < X_TO then
      parts[#parts + 1] = plot.line('grid', '#d0d7de', 1, x_of(value), TOP,
        x_of(value), HEIGHT - BOTTOM)
      parts[#parts + 1] = plot.text(x_of(value), HEIGHT - BOTTOM + 16, 'tick',
        tostring(value), 'middle')
    end
    if value <= top then
      parts[#parts + 1] = plot.line('grid', '#d0d7de', 1, LEFT, y_of(value),
        WIDTH - RIGHT, y_of(value))
      parts[#parts + 1] = plot.text(LEFT - 6, y_of(value) + 4, 'tick',
        tostring(value), 'end')
    end
  end
  parts[#parts + 1] = plot.text(WIDTH - RIGHT, HEIGHT - 8, 'tick',
    'FLOP for each byte from L2', 'end')
  parts[#parts + 1] = plot.text(LEFT, TOP - 3, 'tick', 'TFLOP/s')
end

-- A flat roof: what some arithmetic allows, right of the slope.
local function flat(parts, bandwidth, roof)
  parts[#parts + 1] = plot.line('axis', '#57606a', 2,
    x_of(math.max(X_FROM, roof.value * 1000 / bandwidth)), y_of(roof.value),
    WIDTH - RIGHT, y_of(roof.value))
  parts[#parts + 1] = plot.text(WIDTH - RIGHT, y_of(roof.value) - 6, 'label',
    roof.label, 'end')
end

-- What the L2 cache's bandwidth allows, up to the highest roof.
local function slope(parts, bandwidth, peak)
  local corner = peak * 1000 / bandwidth
  parts[#parts + 1] = plot.line('axis', '#57606a', 2, x_of(X_FROM),
    y_of(X_FROM * bandwidth / 1000), x_of(corner), y_of(peak))
  parts[#parts + 1] = plot.text(x_of(22), y_of(22 * bandwidth / 1000) + 22,
    'label', 'L2 cache')
end

local function point(parts, entry)
  local x, y = x_of(entry.intensity), y_of(entry.speed)
  local side = entry.side == 'left' and -1 or 1
  if entry.shape == 'long' then
    parts[#parts + 1] = string.format('<rect x="%.1f" y="%.1f" width="9" '
      .. 'height="9" class="bar" fill="#0a5c9e"/>', x - 4.5, y - 4.5)
  else
    parts[#parts + 1] = string.format('<circle cx="%.1f" cy="%.1f" r="5" '
      .. 'class="bar" fill="#0a5c9e"/>', x, y)
  end
  parts[#parts + 1] = plot.text(x + side * 9, y + 4, 'value', entry.label,
    side < 0 and 'end' or 'start')
end

-- "LABEL | PROFILE | SHAPE | left": its label on the left, or on the right. The
-- long shape is a square, others are circles.
local function entry_of(text, where)
  local label, profile, shape, side =
    text:match('^%s*(.-)%s*|%s*(%S+)%s*|%s*(%S+)%s*|%s*(%a+)%s*$')
  if side ~= 'left' and side ~= 'right' then
    return report.at(where,
      'a point is "LABEL | PROFILE | SHAPE | left" or "right"')
  end
  local function figure(key)
    return results.get(profile .. ':roofline/' .. shape .. '/' .. key, where)
  end
  local entry = { label = label, side = side, shape = shape,
    intensity = figure 'flop_per_l2_byte', speed = figure 'useful_tflop_s',
    bandwidth = figure 'l2_ceiling_gb_s',
    peak = figure 'tensor_ceiling_tflop_s' }
  for _, key in ipairs { 'intensity', 'speed', 'bandwidth', 'peak' } do
    if type(entry[key]) ~= 'number' then return nil end
  end
  if entry.intensity < X_FROM or entry.intensity > X_TO
      or entry.speed < Y_FROM or entry.speed > top then
    return report.at(where, '"%s" lies outside the figure', label)
  end
  return entry
end

-- "slope REF" and "roof LABEL | EXPRESSION": measured ceilings, TB/s and
-- TFLOP/s, in place of those that the profiler computes. Takes them out of the
-- lines.
local function measured(block, context)
  local found, rest = { roofs = {} }, {}
  for _, line in plot.lines(block, context) do
    local slope = line.text:match('^slope%s+(%S+)%s*$')
    local label, roof = line.text:match('^roof%s+(.-)%s*|%s*(.-)%s*$')
    local value = (slope or roof)
      and results.evaluate(slope or roof, line.where)
    if not slope and not roof then
      rest[#rest + 1] = line
    elseif type(value) ~= 'number' or value <= 0 then
      report.at(line.where, '"%s" is no ceiling', slope or roof)
    elseif slope then
      found.bandwidth = 1000 * value
    else
      typed.check(label, line.where)
      table.insert(found.roofs, { label = label, value = value })
    end
  end
  if (found.bandwidth == nil) ~= (#found.roofs == 0) then
    report.at(context, 'measured ceilings are a slope and at least one roof')
  end
  return found, rest
end

return function(block, _, context)
  local parts, entries = {}, {}
  local ceilings, lines = measured(block, context)
  top = 1000
  for _, roof in ipairs(ceilings.roofs) do
    while roof.value * 1.2 > top do top = 2 * top end
  end
  for _, line in ipairs(lines) do
    entries[#entries + 1] = entry_of(line.text, line.where)
  end
  local last = entries[#entries]
  if not last then
    return report.at(context, 'the figure shows nothing')
  end
  axes(parts)
  if ceilings.bandwidth and #ceilings.roofs > 0 then
    table.sort(ceilings.roofs, function(a, b) return a.value > b.value end)
    slope(parts, ceilings.bandwidth, ceilings.roofs[1].value)
    for _, roof in ipairs(ceilings.roofs) do
      flat(parts, ceilings.bandwidth, roof)
    end
  else
    slope(parts, last.bandwidth, last.peak)
    flat(parts, last.bandwidth,
      { label = 'mma.sync on half', value = last.peak })
  end
  for _, entry in ipairs(entries) do point(parts, entry) end
  return plot.svg(parts, HEIGHT)
end
