-- The ladder: for each stage a bar, as long as the ceiling's time in percent of
-- the stage's, a line where the fastest library is, and both shares as numbers.
local files = require 'common.files'
local format = require 'common.format'
local kernels = require 'code.kernels'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'
local data = require 'data.shares'
local shares = {}

local WIDE, TOP, ROW, BAR, LEFT, LENGTH = 640, 40, 21, 13, 232, 240
local CEILING, LIBRARY = 548, 632 -- where the columns of numbers end
local STEP = 20 -- percent from one line of the grid to the next

local function at(percent) return LEFT + LENGTH * percent / 100 end

-- "stage10_tma_ring" to "10" and the title of its chapter: what is new there,
-- which a folder's name may not say; or else "tma ring".
local function words_of(name)
  local number, rest = name:match '^stage(%d+)_(.*)$'
  local chapter = files.matching('(chapters/%d+%-stage' .. number
    .. '%-[^/]*%.md)')[1]
  local title = chapter and files.text(chapter):match '^# Stage %d+: (.-) {#'
  return number, title or (rest:gsub('_', ' '))
end

local function grid(parts, bottom)
  for percent = 0, 100, STEP do
    parts[#parts + 1] = plot.line('grid', '#d0d7de', 1, at(percent), TOP - 6,
      at(percent), bottom)
    parts[#parts + 1] = plot.text(at(percent), bottom + 16, 'tick',
      percent == 100 and 'ceiling' or percent .. ' %', 'middle')
  end
  parts[#parts + 1] = plot.text(CEILING, 14, 'tick', 'of the', 'end')
  parts[#parts + 1] = plot.text(CEILING, 30, 'tick', 'ceiling', 'end')
  parts[#parts + 1] = plot.text(LIBRARY, 14, 'tick', 'of the best', 'end')
  parts[#parts + 1] = plot.text(LIBRARY, 30, 'tick', 'library', 'end')
end

local function row(parts, share, y)
  local number, words = words_of(share.name)
  parts[#parts + 1] = plot.text(24, y + 11, 'tick', number, 'end')
  parts[#parts + 1] = plot.text(34, y + 11, 'label', words)
  parts[#parts + 1] = string.format('<rect x="%d" y="%d" width="%.1f" '
    .. 'height="%d" class="bar" fill="#0a5c9e"/>', LEFT, y,
    at(share.ceiling) - LEFT, BAR)
  parts[#parts + 1] = plot.text(CEILING, y + 11, 'value',
    format.value(share.ceiling, '%.0f %%'), 'end')
  parts[#parts + 1] = plot.text(LIBRARY, y + 11, 'value',
    format.value(share.library, '%.0f %%'), 'end')
end

-- list, best: what data.shares says.
function shares.svg(list, best)
  local bottom, parts = TOP + #list * ROW, {}
  grid(parts, bottom)
  for index, share in ipairs(list) do
    row(parts, share, TOP + (index - 1) * ROW)
  end
  parts[#parts + 1] = plot.line('whisker', '#b3460e', 2, at(best.ceiling),
    TOP - 6, at(best.ceiling), bottom)
  parts[#parts + 1] = plot.text(at(best.ceiling), TOP - 12, 'label', best.name,
    'middle')
  return plot.svg(parts, bottom + 24, WIDE)
end

-- The lines "times REF" and "ceiling REF", and perhaps "libraries REF", where
-- other contenders were timed, in any order.
local KEYS = { times = true, ceiling = true, libraries = true }
local function read(block, context)
  local given, where = {}, {}
  for _, line in plot.lines(block, context) do
    local key, reference = line.text:match '^%s*(%l+)%s+(%S+)%s*$'
    if not KEYS[key] or given[key] then
      return report.at(line.where, 'a line is "times REF", "ceiling REF" or '
        .. '"libraries REF", once each')
    end
    given[key], where[key] = results.get(reference, line.where), line.where
    if given[key] == nil then return nil end
  end
  if not (given.times and given.ceiling) then
    return report.at(context,
      'shares need a line "times REF" and a line "ceiling REF"')
  end
  if type(given.times) ~= 'table'
    or type(given.libraries or {}) ~= 'table' then
    report.at(where.libraries or where.times,
      'these are no times of contenders')
  elseif type(given.ceiling) ~= 'number' or given.ceiling <= 0 then
    report.at(where.ceiling, 'this is no time')
  else
    return given
  end
end

function shares.of(block, _, context)
  local given = read(block, context)
  if not given then return nil end
  local list, best = data.of(given.times, given.ceiling, kernels.stages(),
    given.libraries)
  if not list then
    return report.at(context, '%s', best)
  end
  return shares.svg(list, best)
end

return shares
