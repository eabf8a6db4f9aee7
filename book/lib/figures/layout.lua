-- Where the pieces of rows lie in shared memory, from recorded layouts: a line
-- of a grid goes once around the 32 banks, and a piece takes four of them. A
-- layout has a string for each place, "ROW.PIECE" or "".
local grid = require 'figures.grid'
local json = require 'data.json'
local compared_maps = require 'figures.compared_maps'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'

local WIDTH, CELL, HEIGHT, TOP, GAP, PIECES = 720, 28, 19, 44, 20, 8

local function lines_of(reference, where)
  local lines = results.get(reference, where)
  if lines == nil then return nil end
  local good = not json.keys(lines) and type(lines) == 'table' and #lines > 0
  for _, line in ipairs(good and lines or {}) do
    good = good and type(line) == 'table' and #line == PIECES
  end
  if good then return lines end
  report.at(where, '"%s" is no layout', reference)
end

local KIND = { word = 'piece', get = lines_of, most = 3,
  needs = 'a figure of layouts needs a piece, and 1 to 3 layouts' }

return function(block, _, context)
  local layouts, marked = compared_maps(block, context, KIND)
  if not layouts then return nil end
  local parts, left, rows = {}, 4, 0
  for _, layout in ipairs(layouts) do
    parts[#parts + 1] = plot.text(left, 16, 'label', layout.label)
    for piece = 1, PIECES do
      parts[#parts + 1] = plot.text(left + (piece - 1) * CELL + 2, TOP - 6,
        'tick', tostring(4 * (piece - 1)))
    end
    for row, line in ipairs(layout.thing) do
      for piece, text in ipairs(line) do
        grid(parts, left + (piece - 1) * CELL, TOP + (row - 1) * HEIGHT, CELL,
          HEIGHT, text, text:match('%.(%d+)$') == marked)
      end
    end
    left = left + PIECES * CELL + GAP
    rows = math.max(rows, #layout.thing)
  end
  return plot.svg(parts, TOP + rows * HEIGHT + 4, WIDTH)
end
