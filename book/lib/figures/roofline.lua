-- A roofline from recorded profiles: what a kernel does a second, over how much
-- it does for each byte that it asks of the L2 cache; both axes in decades.
local block_lines = require 'data.block_lines'
local report = require 'common.report'
local results = require 'data.results'
local svg = require 'figures.svg'
local typed = require 'text.typed_figures'

local EDGE, FOOT, LEFT, TOP = svg.WIDTH - 12, 286, 44, 14
local X_FROM, X_TO, Y_FROM = 10, 1000, 5 -- FLOP/byte, TFLOP/s

local function x_of(value)
  return LEFT + (EDGE - LEFT) * math.log(value / X_FROM)
    / math.log(X_TO / X_FROM)
end

-- The lines "LABEL | PROFILE | SHAPE | left", its label on the left, or on the
-- right; and "slope REF" and "roof LABEL | EXPRESSION": measured ceilings, TB/s
-- and TFLOP/s, in place of those that the profiler computes.
local function read(block, context)
  local points, roofs, bandwidth, last = {}, {}, nil, nil
  local function ceiling(expression, where)
    local value = report.need(results.evaluate(expression, where))
    return type(value) == 'number' and value > 0 and value or
      report.stop(where, '"%s" is no ceiling', expression)
  end
  block_lines.take(block, context,
    'a point is "LABEL | PROFILE | SHAPE | left" or "right"', {
      slope = function(where, reference)
        bandwidth = 1000 * ceiling(reference, where)
        return true
      end,
      roof = function(where, label, expression)
        typed.check(label, where)
        table.insert(roofs,
          { label = label, value = ceiling(expression or '', where) })
        return true
      end,
      [''] = function(where, label, profile, shape, side)
        if side ~= 'left' and side ~= 'right' then return false end
        local function figure(key)
          return report.need(results.get(profile .. ':roofline/' .. shape .. '/'
            .. key, where))
        end
        last = { label = label, side = side, shape = shape, where = where,
          intensity = figure 'flop_per_l2_byte',
          speed = figure 'useful_tflop_s',
          bandwidth = figure 'l2_ceiling_gb_s',
          peak = figure 'tensor_ceiling_tflop_s' }
        points[#points + 1] = last
        return true
      end })
  if (bandwidth == nil) ~= (#roofs == 0) then
    report.stop(context, 'measured ceilings are a slope and at least one roof')
  elseif not last then
    report.stop(context, 'the figure shows nothing')
  end
  table.sort(roofs, function(a, b) return a.value > b.value end)
  return points, bandwidth or last.bandwidth, bandwidth and roofs
    or { { label = 'mma.sync on half', value = last.peak } }, bandwidth
end

return function(block, _, context)
  local points, bandwidth, roofs, measured = read(block, context)
  local picture, top = svg.new(), 1000 -- TFLOP/s at the upper edge
  while measured and roofs[1].value * 1.2 > top do top = 2 * top end
  local function y_of(value)
    return FOOT - (FOOT - TOP) * math.log(value / Y_FROM)
      / math.log(top / Y_FROM)
  end
  for _, value in ipairs { 10, 20, 50, 100, 200, 500, 1000, 2000 } do
    if value < X_TO then
      picture:line('grid', x_of(value), TOP, x_of(value), FOOT)
      picture:text(x_of(value), FOOT + 16, 'tick', tostring(value), 'middle')
    end
    if value <= top then
      picture:line('grid', LEFT, y_of(value), EDGE, y_of(value))
      picture:text(LEFT - 6, y_of(value) + 4, 'tick', tostring(value), 'end')
    end
  end
  picture:text(EDGE, FOOT + 36, 'tick', 'FLOP for each byte from L2', 'end')
  picture:text(LEFT, TOP - 3, 'tick', 'TFLOP/s')
  -- What the L2 cache's bandwidth allows, up to the highest roof.
  picture:line('axis', x_of(X_FROM), y_of(X_FROM * bandwidth / 1000),
    x_of(roofs[1].value * 1000 / bandwidth), y_of(roofs[1].value))
  picture:text(x_of(22), y_of(22 * bandwidth / 1000) + 22, 'label', 'L2 cache')
  -- A flat roof: what some arithmetic allows, right of the slope.
  for _, roof in ipairs(roofs) do
    local y = y_of(roof.value)
    picture:line('axis', x_of(math.max(X_FROM, roof.value * 1000 / bandwidth)),
      y, EDGE, y)
    picture:text(EDGE, y - 6, 'label', roof.label, 'end')
  end
  for _, point in ipairs(points) do
    if point.intensity < X_FROM or point.intensity > X_TO
        or point.speed < Y_FROM or point.speed > top then
      report.stop(point.where, '"%s" lies outside the figure', point.label)
    end
    local x, y = x_of(point.intensity), y_of(point.speed)
    -- The long shape is a square, others are circles.
    if point.shape == 'long' then
      picture:rect('bar', x - 4.5, y - 4.5, 9, 9)
    else
      picture:add('circle', 'bar', { cx = x, cy = y, r = 5 })
    end
    local left = point.side == 'left'
    picture:text(left and x - 9 or x + 9, y + 4, 'value', point.label,
      left and 'end' or 'start')
  end
  return picture:finish(330)
end
