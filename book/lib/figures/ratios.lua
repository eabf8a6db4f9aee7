-- Ratios around 1 of many things, the largest first: a bar to the right where
-- the ratio is above 1, to the left where it is below, at a scale that grows by
-- factors. Hollow bars are those that are close enough. Many rows stand in two
-- columns.
local format = require 'common.format'
local json = require 'data.json'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'

local WIDE, ROW, BAR, LABEL, VALUE, GAP = 640, 15, 9, 176, 38, 16
local ONE_COLUMN = 30 -- rows at most

local function below(value, path)
  for key in path:gmatch '[^/]+' do
    value = type(value) == 'table' and value[key] or nil
  end
  return value
end

-- The ratio that KEY says, "PATH by PATH" a quotient of two numbers.
local function ratio_of(its, key)
  local over, under = key:match '^(%S+) by (%S+)$'
  if not over then return its[key] end
  over, under = below(its, over), below(its, under)
  if type(over) == 'number' and type(under) == 'number' then
    return over / under
  end
  return over and under and false
end

-- "rows REF | KEY | BOOLEAN": an object, in each of its values the ratio, if it
-- has one, and whether that is close enough to 1 or below: a number in place of
-- the boolean says up to which one.
local function read(block, context)
  local given
  for _, line in plot.lines(block, context) do
    local fields = plot.fields(line.text:match('^%s*rows%s+(.*)$') or '')
    if #fields ~= 3 or given then
      return report.at(line.where, 'a line is "rows REF | KEY | BOOLEAN", once')
    end
    given = { fields = fields, where = line.where }
  end
  if not given then
    return report.at(context, 'ratios need a line "rows REF | KEY | BOOLEAN"')
  end
  local object = results.get(given.fields[1], given.where)
  local keys = type(object) == 'table' and json.keys(object)
  if object ~= nil and not keys then
    report.at(given.where, '"%s" is no object', given.fields[1])
  end
  if not keys then return nil end
  local rows, some = {}, false
  for place, name in ipairs(keys) do
    local its = object[name]
    local row = type(its) == 'table' and
      { name = name, place = place, ratio = ratio_of(its, given.fields[2]),
        fine = its[given.fields[3]] }
    local most = tonumber(given.fields[3])
    if row and most and type(row.ratio) == 'number' then
      row.fine = row.ratio <= most
    end
    if not row or row.ratio ~= nil and (type(row.ratio) ~= 'number' or
        row.ratio <= 0 or type(row.fine) ~= 'boolean') then
      return report.at(given.where, '%s has no "%s" above 0 with a "%s"', name,
        given.fields[2], given.fields[3])
    end
    some = some or row.ratio
    rows[#rows + 1] = row
  end
  if not some then
    return report.at(context, 'the figure shows nothing')
  end
  -- Those without a ratio are the last.
  table.sort(rows, function(a, b)
    local x, y = a.ratio or 0, b.ratio or 0
    return x > y or x == y and a.place < b.place
  end)
  return rows
end

-- From the least to the largest, and 1, as a share of the width.
local function scale_of(rows)
  local low, high = 1, 1
  for _, row in ipairs(rows) do
    low = math.min(low, row.ratio or 1)
    high = math.max(high, row.ratio or 1)
  end
  low, high = low / 1.02, high * 1.02
  return function(ratio)
    return math.log(ratio / low) / math.log(high / low)
  end
end

return function(block, attributes, context)
  local rows = read(block, context)
  if not rows then return nil end
  local form = attributes.fmt or '%.2f'
  if not plot.has_format(form, context) then return nil end
  local columns = #rows > ONE_COLUMN and 2 or 1
  local a_column = (#rows + columns - 1) // columns
  local width = columns == 2 and WIDE or plot.WIDTH
  local room = width / columns
  local length = room - LABEL - VALUE - GAP
  local share, bottom, parts = scale_of(rows), a_column * ROW + 6, {}
  for column = 0, columns - 1 do
    local one = column * room + LABEL + share(1) * length
    parts[#parts + 1] = plot.line('whisker', '#b3460e', 2, one, 2, one, bottom)
    parts[#parts + 1] = plot.text(one, bottom + 15, 'tick', '1', 'middle')
  end
  for index, row in ipairs(rows) do
    local left = (index - 1) // a_column * room
    local y = (index - 1) % a_column * ROW + 4
    parts[#parts + 1] = plot.text(left + plot.LEFT, y + 9, 'tick', row.name)
    if row.ratio then
      local from, to = share(1) * length, share(row.ratio) * length
      parts[#parts + 1] = string.format(
        '<rect x="%.1f" y="%d" width="%.1f" height="%d" %s/>',
        left + LABEL + math.min(from, to), y, math.max(math.abs(to - from), 1),
        BAR, row.fine and 'class="box" fill="#f6f8fa" stroke="#1f2328"'
          or 'class="bar" fill="#0a5c9e"')
    end
    parts[#parts + 1] = plot.text(left + room - GAP, y + 9, 'value',
      row.ratio and format.value(row.ratio, form) or '–', 'end')
  end
  return plot.svg(parts, bottom + 22, columns == 2 and WIDE or nil)
end
