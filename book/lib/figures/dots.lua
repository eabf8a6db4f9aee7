-- What was measured, as a multiple of what is allowed: a row for each element
-- of an array, a mark for each of its figures, on a scale that grows by
-- factors.
local format = require 'common.format'
local json = require 'data.json'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'
local typed = require 'text.typed_figures'

local WIDTH, LEFT, ZERO, START, STOP = 640, 4, 222, 252, 582
local ROW, FROM, TO, LEGEND = 24, 0.01, 1e5, 150

-- What marks look like, around 0, 0.
local MARKS = {
  '<circle r="4.5" class="bar" fill="#0a5c9e"/>',
  '<rect x="-4" y="-4" width="8" height="8" class="bar" fill="#0a5c9e"/>',
  '<path d="M0 -5L5 4H-5Z" class="bar" fill="#0a5c9e"/>',
  '<path d="M0 -5.5L5.5 0L0 5.5L-5.5 0Z" class="bar" fill="#0a5c9e"/>',
  '<path d="M-4 -4L4 4M-4 4L4 -4" class="line" stroke="#1f2328" '
    .. 'stroke-width="2" fill="none"/>',
}

local function x_of(value)
  if value == false then return STOP + 34 end  -- not finite
  if value < FROM then return ZERO end
  return START + (STOP - START) * math.log(value / FROM) / math.log(TO / FROM)
end

local function mark(parts, index, x, y)
  parts[#parts + 1] = string.format(
    '<g transform="translate(%.1f %.1f)">%s</g>', x, y, MARKS[index])
end

-- "rows REF | NAME | PART": the array, the field that names an element, and the
-- one with its figures; "mark KEY | LABEL": a figure, null if it is no number.
local function read(block, context)
  local rows, marks, well = nil, {}, true
  for _, line in plot.lines(block, context) do
    local kind, text = line.text:match('^%s*(%l+)%s+(.*)$')
    local fields = plot.fields(text or '')
    if kind == 'rows' and #fields == 3 and not rows then
      rows = { list = results.get(fields[1], line.where), name = fields[2],
               part = fields[3], where = line.where }
      well = well and rows.list
    elseif kind == 'mark' and #fields == 2 then
      typed.check(fields[2], line.where)
      marks[#marks + 1] =
        { key = fields[1], label = fields[2], where = line.where }
    else
      report.at(line.where, 'a line is "rows REF | NAME | PART", once, or '
        .. '"mark KEY | LABEL"')
      well = false
    end
  end
  if well and (not rows or #marks == 0 or #marks > #MARKS) then
    report.at(context, 'dots need rows, and from 1 to %d marks', #MARKS)
    well = false
  end
  return well and rows, marks
end

local function axis(parts, bottom)
  for power = -2, 5 do
    local x = x_of(10 ^ power)
    parts[#parts + 1] = power == 0
      and plot.line('whisker', '#b3460e', 2, x, 4, x, bottom)
      or plot.line('grid', '#d0d7de', 1, x, 4, x, bottom)
    if power % 2 == 0 then
      parts[#parts + 1] = plot.text(x, bottom + 16, 'tick',
        power == 0 and 'limit' or format.value(10 ^ power, "%'g"), 'middle')
    end
  end
  parts[#parts + 1] = plot.text(ZERO, bottom + 16, 'tick', 'less', 'middle')
  parts[#parts + 1] = plot.text(WIDTH - 2, bottom + 16, 'tick', 'not finite',
    'end')
end

-- The figure of an element; false if it is not finite, nil if there is none.
local function figure_of(element, rows, one)
  local figures = element[rows.part]
  local value = type(figures) == 'table' and figures[one.key]
  if type(value) == 'number' and value >= 0 then return value end
  if value == json.null then return false end
  return report.at(one.where, '%s has no "%s" that a mark can show',
    tostring(element[rows.name]), one.key)
end

return function(block, _, context)
  local rows, marks = read(block, context)
  if not rows then return nil end
  local parts, bottom = {}, #rows.list * ROW + 8
  axis(parts, bottom)
  for row, element in ipairs(rows.list) do
    local y = row * ROW - 6
    parts[#parts + 1] =
      plot.line('grid', '#d0d7de', 0.5, ZERO - 10, y, WIDTH - 2, y)
    parts[#parts + 1] = plot.text(LEFT, y + 4, 'label',
      tostring(element[rows.name]))
    for index, one in ipairs(marks) do
      local value = figure_of(element, rows, one)
      if value == nil then return nil end
      -- Those that are not finite would hide each other.
      local aside = value and 0 or 6 * (index - 3)
      mark(parts, index, x_of(value) + aside, y + 2 * (index - 3))
    end
  end
  for index, one in ipairs(marks) do
    local x = LEFT + 10 + (index - 1) % 4 * LEGEND
    local y = bottom + 42 + (index - 1) // 4 * 22
    mark(parts, index, x, y)
    parts[#parts + 1] = plot.text(x + 12, y + 4, 'label', one.label)
  end
  return plot.svg(parts, bottom + 56 + (#marks - 1) // 4 * 22, WIDTH)
end
