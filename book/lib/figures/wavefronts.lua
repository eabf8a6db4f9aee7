-- Bank conflicts by source line: for each line of a kernel that has any, in one
-- of several recorded counts, a bar a count. Solid: the wavefronts that the
-- line would need without conflicts; hatched: those that the conflicts add.
local files = require 'common.files'
local format = require 'common.format'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'
local hatched_boxes = require 'figures.hatched_boxes'
local typed = require 'text.typed_figures'

local BAR, GAP, HEAD, RIGHT, ROW, MOST = 13, 3, 22, 74, 22, 56

-- The wavefronts of each line: {"FILE:LINE" = {file, line, ideal, extra}}.
local function lines_of(reference, where)
  local lines = results.get(reference .. '/lines', where)
  if lines == nil then return nil end
  local sums = {}
  for _, entry in ipairs(lines) do
    local counters = entry.counters
    if counters.shared_wavefronts then
      local key = entry.file .. ':' .. entry.line
      local sum = sums[key] or
        { file = entry.file, line = entry.line, ideal = 0, extra = 0 }
      sum.ideal = sum.ideal + counters.shared_wavefronts_ideal
      sum.extra = sum.extra + counters.shared_wavefronts -
        counters.shared_wavefronts_ideal
      sums[key] = sum
    end
  end
  return sums
end

-- "LABEL | COUNT:counters/SHAPE", one a line of the block.
local function read(block, context)
  local counts, well = {}, true
  for _, line in plot.lines(block, context) do
    local label, reference, more = table.unpack(plot.fields(line.text))
    typed.check(label, line.where)
    if not reference or more then
      return report.at(line.where, 'a bar is "LABEL | COUNT:counters/SHAPE"')
    end
    local lines = lines_of(reference, line.where)
    well = well and lines
    counts[#counts + 1] = { label = label, lines = lines }
  end
  return well and counts
end

-- The lines with conflicts in any of the counts, in order, and the most
-- wavefronts that one has.
local function conflicting(counts)
  local found, list, most = {}, {}, 0
  for _, count in ipairs(counts) do
    for key, sum in pairs(count.lines) do
      if sum.extra > 0 and not found[key] then
        found[key] = true
        list[#list + 1] = { key = key, file = sum.file, line = sum.line }
      end
    end
  end
  table.sort(list, function(a, b)
    return a.file < b.file or a.file == b.file and a.line < b.line
  end)
  for _, entry in ipairs(list) do
    for _, count in ipairs(counts) do
      local sum = count.lines[entry.key]
      if sum then most = math.max(most, sum.ideal + sum.extra) end
    end
  end
  return list, most
end

-- A line of code as it stands in the source, if need be without its end.
local function code_of(entry)
  local lines = files.lines(files.text(entry.file) or '')
  local code = (lines[entry.line] or ''):match('^%s*(.-)%s*$')
  if #code > MOST then code = code:sub(1, MOST - 1) .. '\u{2026}' end
  return code
end

local SHADES = { 0.75, 0.4, 0.12 }

local function bar(parts, sum, index, y, scale)
  local x = plot.LEFT
  if sum then
    hatched_boxes.box(parts, SHADES[index], nil, x, y, sum.ideal * scale, BAR)
    x = x + sum.ideal * scale
    if sum.extra > 0 then
      hatched_boxes.box(parts, 0, 'slant', x, y, sum.extra * scale, BAR)
      x = x + sum.extra * scale
    end
  end
  parts[#parts + 1] = plot.text(x + 6, y + 11, 'value',
    format.value(sum and sum.ideal + sum.extra or 0, "%'d"))
end

local function legend(parts, counts, top)
  for index, count in ipairs(counts) do
    local y = top + (index - 1) * ROW
    hatched_boxes.box(parts, SHADES[index], nil, plot.LEFT, y, 26, 14)
    parts[#parts + 1] = plot.text(plot.LEFT + 32, y + 12, 'label', count.label)
  end
  hatched_boxes.box(parts, 0, 'slant', 256, top, 26, 14)
  parts[#parts + 1] = plot.text(288, top + 12, 'label', 'added by conflicts')
  return top + #counts * ROW
end

return function(block, _, context)
  local counts = read(block, context)
  if not counts then return nil end
  local list, most = conflicting(counts)
  if #list == 0 or #counts > #SHADES then
    return report.at(context, 'the figure needs from 1 to %d counts, and a '
      .. 'line with conflicts', #SHADES)
  end
  local scale, parts, y = (plot.WIDTH - plot.LEFT - RIGHT) / most, {}, 0
  for _, entry in ipairs(list) do
    parts[#parts + 1] = plot.text(plot.LEFT, y + 14, 'label',
      string.format('%d  %s', entry.line, code_of(entry)))
    y = y + HEAD
    for index, count in ipairs(counts) do
      bar(parts, count.lines[entry.key], index, y, scale)
      y = y + BAR + GAP
    end
    y = y + 4
  end
  local height = legend(parts, counts, y + 6)
  return plot.svg(parts, height)
end
