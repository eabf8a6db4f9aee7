-- Grids: which lane of a warp holds which element of a matrix, where the pieces
-- of rows lie in shared memory; and points: errors as multiples of their
-- limits, kernels under the roofs of a GPU; and a ring of slots that moves.
local block_lines = require 'data.block_lines'
local files = require 'common.files'
local format = require 'common.format'
local report = require 'common.report'
local results = require 'data.results'
local svg = require 'figures.svg'
local maps = {}

-- A cell of a grid, with a text in its middle; a marked one is coloured.
local function cell(picture, x, y, width, text, marked)
  picture:rect('box', x, y, width, 19)
  if marked then picture:rect('accent', x, y, width, 19) end
  picture:add('text', marked and 'label' or 'tick', { x = x + width / 2,
    y = y + 13.5, font_size = 11, text_anchor = 'middle' },
    format.escape(text))
end

-- Recorded grids side by side, a string for each cell, and those with the same
-- number marked in all of them: lines "REF | LABEL", and "WORD NUMBER".
-- pattern: where the number is in a string, and what else stands in a marked
-- cell; heads: whether each column begins with a bank.
local function grids(word, pattern, width, heads)
  return function(block, _, context)
    local picture, list, marked = svg.new(720), {}, nil
    block_lines.take(block, context,
      'a line is "REF | LABEL" or "' .. word .. ' NUMBER"', {
        [word] = { 1, 1, function(_, number) marked = number end },
        [''] = { 2, 2, function(where, reference, label)
          list[#list + 1] = { label, results.get(reference, where) }
        end } })
    local left, rows, top = 4, 0, heads and 44 or 24
    for _, entry in ipairs(list) do
      local label, grid = table.unpack(entry)
      picture:text(left, 16, 'label', label)
      for column = 1, heads and #grid[1] or 0 do
        picture:text(left + (column - 1) * width + 2, 38, 'tick',
          tostring(4 * (column - 1)))
      end
      for row, line in ipairs(grid) do
        for column, text in ipairs(line) do
          local number, name = text:match(pattern)
          local is_marked = number == marked
          cell(picture, left + (column - 1) * width, top + (row - 1) * 19,
            width, name and (is_marked and name or number) or text, is_marked)
        end
      end
      left = left + #grid[1] * width + 20
      rows = math.max(rows, #grid)
    end
    return picture:finish(top + 4 + rows * 19)
  end
end

-- A map has for each element "LANE NAME", the name of what holds it. A layout
-- has for each place "ROW.PIECE" or ""; a line of it goes once around the 32
-- banks, and a piece takes four of them.
maps.lanes = grids('lane', '^(%d+) (%w+)$', 21)
maps.layout = grids('piece', '%.(%d+)$', 28, true)

-- What marks look like, around 0, 0.
local MARKS = {
  { 'circle', 'bar', { r = 4.5 } },
  { 'rect', 'bar', { x = -4, y = -4, width = 8, height = 8 } },
  { 'path', 'bar', { d = 'M0 -5L5 4H-5Z' } },
  { 'path', 'bar', { d = 'M0 -5.5L5.5 0L0 5.5L-5.5 0Z' } },
  { 'path', 'line', { d = 'M-4 -4L4 4M-4 4L4 -4', stroke_width = 2 } },
}
local ZERO, START, STOP, FROM, TO = 222, 252, 582, 0.01, 1e5

local function mark(picture, index, x, y)
  local name, class, attributes = table.unpack(MARKS[index])
  local copy = { transform = string.format('translate(%.1f %.1f)', x, y) }
  for key, value in pairs(attributes) do copy[key] = value end
  picture:add(name, class, copy)
end

local function x_of(value)
  if not value then return STOP + 34 end  -- not finite
  if value < FROM then return ZERO end
  return START + (STOP - START) * math.log(value / FROM) / math.log(TO / FROM)
end

-- "rows REF | NAME | PART": the array, the field that names an element, and the
-- one with its figures; "mark KEY | LABEL": a figure, null if it is no number.
local function read_dots(block, context)
  local rows, marks = {}, {}
  block_lines.take(block, context, 'a line is "rows REF | NAME | PART" or '
    .. '"mark KEY | LABEL"', {
      rows = { 3, 3, function(where, reference, name, part)
        rows = { name = name, part = part,
          list = results.get(reference, where) }
      end },
      mark = { 2, 2, function(_, key, label)
        marks[#marks + 1] = { key = key, label = label }
      end } })
  return rows, marks
end

-- What was measured, as a multiple of what is allowed: a row for each element
-- of an array, a mark for each of its figures, on a scale that grows by
-- factors.
function maps.dots(block, _, context)
  local rows, marks = read_dots(block, context)
  local picture, bottom = svg.new(640), #rows.list * 24 + 8
  for power = -2, 5 do
    local x = x_of(10 ^ power)
    picture:line(power == 0 and 'whisker' or 'grid', x, 4, x, bottom)
    if power % 2 == 0 then
      picture:text(x, bottom + 16, 'tick',
        power == 0 and 'limit' or format.value(10 ^ power, "%'g"), 'middle')
    end
  end
  picture:text(ZERO, bottom + 16, 'tick', 'less', 'middle')
  picture:text(picture.width - 2, bottom + 16, 'tick', 'not finite', 'end')
  for row, element in ipairs(rows.list) do
    local y = row * 24 - 6
    picture:line('grid', ZERO - 10, y, picture.width - 2, y, 0.5)
    picture:text(4, y + 4, 'label', element[rows.name])
    for index, one in ipairs(marks) do
      local value = element[rows.part][one.key]
      local is_number = value ~= results.null
      assert(not is_number or value >= 0)
      -- Those that are not finite would hide each other.
      local aside = is_number and 0 or 6 * (index - 3)
      mark(picture, index, x_of(is_number and value) + aside,
        y + 2 * (index - 3))
    end
  end
  for index, one in ipairs(marks) do
    local x = 14 + (index - 1) % 4 * 150
    local y = bottom + 42 + (index - 1) // 4 * 22
    mark(picture, index, x, y)
    picture:text(x + 12, y + 4, 'label', one.label)
  end
  return picture:finish(bottom + 56 + (#marks - 1) // 4 * 22)
end

local EDGE, FOOT, LEFT, TOP = svg.WIDTH - 12, 286, 44, 14
local X_FROM, X_TO, Y_FROM = 10, 1000, 5 -- FLOP/byte, TFLOP/s

local function intensity_at(value)
  return LEFT + (EDGE - LEFT) * math.log(value / X_FROM)
    / math.log(X_TO / X_FROM)
end

-- The lines "LABEL | PROFILE | SHAPE | left", its label on the left, or on the
-- right; and "slope REF" and "roof LABEL | EXPRESSION": measured ceilings, TB/s
-- and TFLOP/s, in place of those that the profiler computes.
local function read_roofline(block, context)
  local points, roofs, bandwidth, last = {}, {}, nil, nil
  block_lines.take(block, context,
    'a point is "LABEL | PROFILE | SHAPE | left" or "right"', {
      slope = { 1, 1, function(where, reference)
        bandwidth = 1000 * block_lines.length(reference, where)
      end },
      roof = { 2, 2, function(where, label, expression)
        table.insert(roofs, { label = label,
          value = block_lines.length(expression, where) })
      end },
      [''] = { 4, 4, function(where, label, profile, shape, side)
        local function figure(key)
          return results.get(profile .. ':roofline/' .. shape .. '/'
            .. key, where)
        end
        last = { label = label, side = side, shape = shape, where = where,
          intensity = figure 'flop_per_l2_byte',
          speed = figure 'useful_tflop_s',
          bandwidth = figure 'l2_ceiling_gb_s',
          peak = figure 'tensor_ceiling_tflop_s' }
        points[#points + 1] = last
      end } })
  table.sort(roofs, function(a, b) return a.value > b.value end)
  return points, bandwidth or last.bandwidth, bandwidth and roofs
    or { { label = 'mma.sync on half', value = last.peak } }, bandwidth
end

-- What a kernel does a second, over how much it does for each byte that it asks
-- of the L2 cache, from recorded profiles; both axes in decades.
function maps.roofline(block, _, context)
  local points, bandwidth, roofs, measured = read_roofline(block, context)
  local picture, top = svg.new(), 1000 -- TFLOP/s at the upper edge
  while measured and roofs[1].value * 1.2 > top do top = 2 * top end
  local function y_of(value)
    return FOOT - (FOOT - TOP) * math.log(value / Y_FROM)
      / math.log(top / Y_FROM)
  end
  for _, value in ipairs { 10, 20, 50, 100, 200, 500, 1000, 2000 } do
    if value < X_TO then
      picture:line('grid', intensity_at(value), TOP, intensity_at(value), FOOT)
      picture:text(intensity_at(value), FOOT + 16, 'tick', tostring(value),
        'middle')
    end
    if value <= top then
      picture:line('grid', LEFT, y_of(value), EDGE, y_of(value))
      picture:text(LEFT - 6, y_of(value) + 4, 'tick', tostring(value), 'end')
    end
  end
  picture:text(EDGE, FOOT + 36, 'tick', 'FLOP for each byte from L2', 'end')
  picture:text(LEFT, TOP - 3, 'tick', 'TFLOP/s')
  -- What the L2 cache's bandwidth allows, up to the highest roof.
  picture:line('axis', intensity_at(X_FROM), y_of(X_FROM * bandwidth / 1000),
    intensity_at(roofs[1].value * 1000 / bandwidth), y_of(roofs[1].value))
  picture:text(intensity_at(22), y_of(22 * bandwidth / 1000) + 22, 'label',
    'L2 cache')
  -- A flat roof: what some arithmetic allows, right of the slope.
  for _, roof in ipairs(roofs) do
    local y = y_of(roof.value)
    picture:line('axis', intensity_at(math.max(X_FROM,
      roof.value * 1000 / bandwidth)), y, EDGE, y)
    picture:text(EDGE, y - 6, 'label', roof.label, 'end')
  end
  for _, point in ipairs(points) do
    if point.intensity < X_FROM or point.intensity > X_TO
        or point.speed < Y_FROM or point.speed > top then
      report.stop(point.where, '"%s" lies outside the figure', point.label)
    end
    local x, y = intensity_at(point.intensity), y_of(point.speed)
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

local SLOTS, PAPER, BOX = 3, 6, 'class="box" fill="#f6f5f0"'
local EVENTS = 'load load load land read wait free load land read free load '
  .. 'land read free load land read'
local STATES = { load = 'on its way', land = 'full', read = 'is read',
  free = 'free' }
local SAID = {
  load = 'The producer waits for parity %d of empty[%d]%s, and asks for '
    .. 'round %d.',
  land = 'The bytes of round %d have landed: phase %d of full[%d] ends.',
  read = 'The consumers waited for parity %d of full[%d], and read round %d.',
  wait = 'The producer waits for parity %d of empty[%d]: nobody has '
    .. 'arrived yet.',
  free = 'Both consumers have arrived: phase %d of empty[%d] ends.',
}

-- A ring of slots that moves: what the producer and the consumers of
-- hopper/mbarrier_ring.cu do, event by event. Each event is a group of class
-- "step"; the slides show one after the other, paper that of class "now". full
-- and empty: how many phases of these mbarriers of a slot have ended.
function maps.ring()
  local slots, steps = {}, {}
  local done = { load = 0, land = 0, read = 0, free = 0 }
  for s = 0, SLOTS - 1 do
    slots[s + 1] = { slot = s, x = 224 + 126 * s, round = '', full = 0,
      empty = 0, state = 'never used', look = BOX }
  end
  local producer, consumers = 'round 0', 'wait for round 0'
  for kind in EVENTS:gmatch '%a+' do
    local round = done[kind] or done.load
    local s, use = round % SLOTS, round // SLOTS
    local slot, said = slots[s + 1], nil
    if done[kind] then
      done[kind], slot.state = round + 1, STATES[kind]
    end
    if kind == 'load' then
      slot.round, producer = 'round ' .. round, 'round ' .. round + 1
      said = { (use + 1) % 2, s,
        use == 0 and ', which counts as ended' or '', round }
    elseif kind == 'wait' then
      producer, said = 'waits', { (use + 1) % 2, s }
    elseif kind == 'land' then
      slot.full, said = use + 1, { round, use, s }
    elseif kind == 'read' then
      consumers, said = 'read round ' .. round, { use % 2, s, round }
    else
      slot.empty, said = use + 1, { use, s }
      consumers = 'wait for round ' .. round + 1
    end
    slot.look = slot.state == 'full' and 'class="bar" fill="#c9d4e3"' or BOX
    steps[#steps + 1] = { producer = producer, consumers = consumers,
      said = string.format(SAID[kind], table.unpack(said)),
      slots = pandoc.List(slots):map(function(its)
        local copy = {}
        for key, value in pairs(its) do copy[key] = value end
        return copy
      end),
      now = #steps == PAPER - 1 and ' now' or '' }
  end
  return format.fill(files.text(files.HERE .. 'templates/ring.svg'),
    { steps = steps })
end

return maps
