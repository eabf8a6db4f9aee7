-- Which lane of a warp holds which element of a matrix, from recorded maps. A
-- map has a string for each element, "LANE NAME", the name of what holds it.
local grid = require 'figures.grid'
local json = require 'data.json'
local compared_maps = require 'figures.compared_maps'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'

local WIDTH, CELL, HEIGHT, TOP, GAP = 720, 21, 19, 24, 20

-- The rows of a map, each a list of {lane, name}; nil if it is none.
local function map_of(reference, where)
  local rows, map = results.get(reference, where), {}
  if rows == nil then return nil end
  for row, texts in ipairs(not json.keys(rows) and rows or {}) do
    map[row] = {}
    for column, text in ipairs(type(texts) == 'table' and texts or {}) do
      local lane, name = tostring(text):match('^(%d+) (%w+)$')
      map[row][column] = lane and { lane = tonumber(lane), name = name }
    end
    if #map[row] == 0 or #map[row] ~= #map[1] then map = {} break end
  end
  if #map == 0 then
    return report.at(where, '"%s" is no map of lanes', reference)
  end
  return map
end

local KIND = { word = 'lane', get = map_of, most = math.huge,
  needs = 'a figure of lanes needs a lane and a map' }

-- Do two neighbours share a cell? They do if one lane has both.
local function same(a, b) return a and b and a.lane == b.lane end

local function cell(parts, x, y, width, height, held, marked)
  local mine = held[1].lane == marked
  local names, seen = {}, {}
  for _, one in ipairs(held) do
    if not seen[one.name] then names[#names + 1] = one.name end
    seen[one.name] = true
  end
  grid(parts, x, y, width, height,
    mine and table.concat(names, ' ') or tostring(held[1].lane), mine)
end

-- Two neighbours of a lane, in a row or else in a column, are one cell.
local function matrix(parts, map, left, marked)
  for row = 1, #map do
    for column = 1, #map[1] do
      local here, right = map[row][column], map[row][column + 1]
      local below = map[row + 1] and map[row + 1][column]
      local x, y = left + (column - 1) * CELL, TOP + (row - 1) * HEIGHT
      local second = not here.done and (same(here, right) and right
        or same(here, below) and below)
      if second then
        second.done = true
        cell(parts, x, y, second == right and 2 * CELL or CELL,
          second == right and HEIGHT or 2 * HEIGHT, { here, second }, marked)
      elseif not here.done then
        cell(parts, x, y, CELL, HEIGHT, { here }, marked)
      end
    end
  end
end

return function(block, _, context)
  local maps, number = compared_maps(block, context, KIND)
  if not maps then return nil end
  local marked = tonumber(number)
  local parts, left, rows = {}, 4, 0
  for _, one in ipairs(maps) do
    parts[#parts + 1] = plot.text(left, 16, 'label', one.label)
    matrix(parts, one.thing, left, marked)
    left = left + #one.thing[1] * CELL + GAP
    rows = math.max(rows, #one.thing)
  end
  if left - GAP > WIDTH then
    return report.at(context, 'the maps are too wide for one figure')
  end
  return plot.svg(parts, TOP + rows * HEIGHT + 4, WIDTH)
end
