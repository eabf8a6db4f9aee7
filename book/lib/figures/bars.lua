-- Figures of horizontal bars: times, parts of a whole, ratios, shares.
local block_lines = require 'data.block_lines'
local files = require 'common.files'
local format = require 'common.format'
local kernels = require 'data.kernels'
local report = require 'common.report'
local results = require 'data.results'
local svg = require 'figures.svg'
local bars = {}

-- rows: each a {heading}, or a bar {parts, label, low, high}: parts are
-- {length, shade}, one after the other; the label stands on the left.
-- style: {bar, step, heading}, the heights of a bar, of it with the room below,
-- and of a heading; left and right: the room beside bars; axis: whether there
-- is one; pattern: of numbers; legend.
local function chart(rows, attributes, context, style)
  local most, bottom = 0, 0
  for _, row in ipairs(rows) do
    bottom = bottom + (row.heading and style.heading or style.step)
    row.length = 0
    for _, part in ipairs(row.parts or {}) do
      row.length = row.length + part[1]
    end
    most = math.max(most, row.length, row.high or 0)
  end
  if most == 0 then report.stop(context, 'the figure shows nothing') end
  local left, y, picture = style.left or svg.LEFT, 0, svg.new()
  local scale = (svg.WIDTH - left - style.right) / most
  local height = bottom + (style.axis and 34 or 22)
  if style.axis then
    picture:axis(scale, most, height, attributes.unit or '', style.pattern)
  elseif attributes.unit then
    picture:text(left, bottom + 14, 'tick', attributes.unit)
  end
  for _, row in ipairs(rows) do
    if row.heading then
      picture:text(svg.LEFT, y + style.heading - 8, 'label', row.heading)
      y = y + style.heading
    else
      local x, middle = left, y + style.bar / 2
      if row.label then
        picture:text(x - 8, y + 11, 'tick', row.label, 'end')
      end
      for _, part in ipairs(row.parts) do
        local length, shade = part[1] * scale, part[2]
        if shade then
          picture:shaded(shade, x, y, length, style.bar)
        else
          picture:rect('bar', x, y, length, style.bar)
        end
        x = x + length
      end
      if row.low then
        local low, high = left + row.low * scale, left + row.high * scale
        picture:add('path', 'whisker', { d = string.format(
          'M%.1f %.1fv12M%.1f %.1fv12M%.1f %.1fH%.1f', low, middle - 6, high,
          middle - 6, low, middle, high) })
        x = math.max(x, high)
      end
      picture:text(x + 6, middle + 5, 'value',
        block_lines.shown(row.length, style.pattern, context))
      y = y + style.step
    end
  end
  if style.legend then
    height = picture:legend(style.legend, bottom + (style.axis and 42 or 8), 2)
  end
  return picture:finish(height)
end

-- One below the other: "LABEL | EXPRESSION", and with "| SPREAD" whiskers for
-- the noise.
function bars.ladder(block, attributes, context)
  local rows = {}
  block_lines.take(block, context, 'a bar is "LABEL | VALUE" or "| SPREAD"',
    { [''] = { 2, 3, function(where, label, value, spread)
      value = block_lines.length(value, where)
      spread = spread and block_lines.length(spread, where)
      rows[#rows + 1] = { heading = label }
      rows[#rows + 1] = { parts = { { value } },
        low = spread and math.max(0, value - spread),
        high = spread and value + spread }
    end } })
  return chart(rows, attributes, context, { bar = 16, step = 24, heading = 22,
    right = 72, axis = true, pattern = attributes.fmt })
end

-- In groups under headings, all at one scale: who does how much of what.
-- "group LABEL": a heading. "bar LABEL | EXPRESSION": a bar of that group.
function bars.groups(block, attributes, context)
  local rows = {}
  block_lines.take(block, context,
    'a line is "group LABEL", or "bar LABEL | VALUE"', {
      group = { 1, 1, function(_, label)
        rows[#rows + 1] = { heading = label }
      end },
      bar = { 2, 2, function(where, label, value)
        rows[#rows + 1] = { label = label,
          parts = { { block_lines.length(value, where) } } }
      end } })
  return chart(rows, attributes, context, { bar = 12, step = 19, heading = 28,
    left = 130, right = 52, pattern = attributes.fmt })
end

local SHADES = { { 0.75 }, { 0.25 }, { 0, 'slant' }, { 0.45, 'dots' },
  { 0.12, 'bars' }, { 0.12, 'cross' }, { 0 } }

-- The time waited, in millions of cycles, by reason. A profile says how many
-- warps wait for a reason at each instruction started; times the instructions,
-- that is the time that all warps together waited for it.
local function waits_of(reference, where)
  local counters = results.get(reference, where)
  local waits, total = {}, 0
  for key, value in pairs(counters) do
    local reason = key:match('^stall_(.*)$')
    if reason then
      waits[reason] = value * counters.instructions / 1e6
      total = total + waits[reason]
    end
  end
  return waits, total
end

-- What the warps of each kernel waited for, from recorded profiles.
-- "part LABEL | REASON": the next part of each bar; "rest LABEL": what is left.
-- "bar LABEL | PROFILE:ncu/SHAPE".
function bars.stalls(block, attributes, context)
  local legend, reasons, rows = {}, {}, {}
  local function part(_, label, reason)
    reasons[#reasons + 1] = reason or 'rest'
    legend[#legend + 1] = { SHADES[#legend + 1], label }
  end
  local function bar(where, label, reference)
    local waits, rest = waits_of(reference, where)
    local parts = {}
    for _, reason in ipairs(reasons) do rest = rest - (waits[reason] or 0) end
    waits.rest = math.max(0, rest)
    for index, reason in ipairs(reasons) do
      parts[index] = { waits[reason], SHADES[index] }
    end
    rows[#rows + 1] = { heading = label }
    rows[#rows + 1] = { parts = parts }
  end
  block_lines.take(block, context, 'a line is "part LABEL | REASON", '
    .. '"rest LABEL" or, behind these, "bar LABEL | PROFILE:ncu/SHAPE"',
    { part = { 2, 2, part }, rest = { 1, 1, part }, bar = { 2, 2, bar } })
  return chart(rows, attributes, context, { bar = 16, step = 20, heading = 22,
    right = 62, axis = true, legend = legend,
    pattern = attributes.fmt or '%.1f' })
end

-- The wavefronts of each line of a kernel: {"FILE:LINE" = {file, line, ideal,
-- extra}}.
local function wavefronts_of(reference, where)
  local sums = {}
  local lines = results.get(reference .. '/lines', where)
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

-- The lines with conflicts in any of the counts, in order.
local function conflicting(counts)
  local found, list = {}, {}
  for _, count in ipairs(counts) do
    for key, sum in pairs(count) do
      if sum.extra > 0 and not found[key] then
        found[key] = true
        list[#list + 1] = { key = key, file = sum.file, line = sum.line }
      end
    end
  end
  table.sort(list, function(a, b)
    return a.file < b.file or a.file == b.file and a.line < b.line
  end)
  return list
end

-- A line of code as it stands in the source, if need be without its end.
local function code_of(entry)
  local lines, most = files.lines(files.text(entry.file) or ''), 56
  local code = (lines[entry.line] or ''):match('^%s*(.-)%s*$')
  if #code > most then code = code:sub(1, most - 1) .. '\u{2026}' end
  return format.plain(entry.line) .. '  ' .. code
end

-- Bank conflicts by source line, of a kernel in several recorded counts. Solid:
-- the wavefronts that the line would need without conflicts; hatched: those
-- that the conflicts add. "LABEL | COUNT:counters/SHAPE", one a line.
function bars.wavefronts(block, attributes, context)
  local counts, legend, rows = {}, {}, {}
  local shades, added = { { 0.75 }, { 0.4 }, { 0.12 } }, { 0, 'slant' }
  block_lines.take(block, context, 'a bar is "LABEL | COUNT:counters/SHAPE"',
    { [''] = { 2, 2, function(where, label, reference)
      counts[#counts + 1] = wavefronts_of(reference, where)
      legend[#counts] = { shades[#counts], label }
    end } })
  for _, entry in ipairs(conflicting(counts)) do
    rows[#rows + 1] = { heading = code_of(entry) }
    for index, count in ipairs(counts) do
      local sum = count[entry.key] or { ideal = 0, extra = 0 }
      rows[#rows + 1] = { parts = { { sum.ideal, shades[index] },
        sum.extra > 0 and { sum.extra, added } or nil } }
    end
  end
  legend[#legend + 1] = { added, 'added by conflicts' }
  return chart(rows, attributes, context, { bar = 13, step = 16, heading = 24,
    right = 74, legend = legend, pattern = "%'d" })
end

-- "rows REF | PATH | PATH | MOST": of each value of an object the quotient of
-- two of its numbers, and up to which one that is close enough.
local function read_ratios(block, context)
  local rows = {}
  block_lines.take(block, context,
    'a line is "rows REF | PATH | PATH | MOST"', {
    rows = { 4, 4, function(where, reference, over, under, most)
      for name in pairs(results.get(reference, where)) do
        local its = reference .. '/' .. name .. '/'
        local ratio = block_lines.length(
          'ratio ' .. its .. over .. ' ' .. its .. under, where)
        rows[#rows + 1] = { name = name, ratio = ratio,
          fine = ratio <= tonumber(most) }
      end
    end } })
  table.sort(rows, function(a, b)
    return a.ratio > b.ratio or a.ratio == b.ratio and a.name < b.name
  end)
  return rows
end

-- Ratios around 1 of many things, the largest first: a bar to the right where
-- the ratio is above 1, to the left where it is below, at a scale that grows by
-- factors. Hollow bars are those that are close enough. More than 30 rows stand
-- in two columns.
function bars.ratios(block, attributes, context)
  local rows = read_ratios(block, context)
  local low, high = 1, 1
  for _, row in ipairs(rows) do
    low, high = math.min(low, row.ratio), math.max(high, row.ratio)
  end
  low, high = low / 1.02, high * 1.02
  local columns = #rows > 30 and 2 or 1
  local a_column = (#rows + columns - 1) // columns
  local picture = svg.new(columns == 2 and 640 or nil)
  local room, label, bottom = (picture.width or svg.WIDTH) / columns, 176,
    a_column * 15 + 6
  local function at(ratio)
    return (room - label - 54) * math.log(ratio / low) / math.log(high / low)
  end
  for column = 0, columns - 1 do
    local one = column * room + label + at(1)
    picture:line('whisker', one, 2, one, bottom)
    picture:text(one, bottom + 15, 'tick', '1', 'middle')
  end
  for index, row in ipairs(rows) do
    local left = (index - 1) // a_column * room
    local y = (index - 1) % a_column * 15 + 4
    picture:text(left + svg.LEFT, y + 9, 'tick', row.name)
    local from, to = at(1), at(row.ratio)
    picture:rect(row.fine and 'box' or 'bar',
      left + label + math.min(from, to), y,
      math.max(math.abs(to - from), 1), 9)
    picture:text(left + room - 16, y + 9, 'value',
      block_lines.shown(row.ratio, attributes.fmt or '%.2f', context), 'end')
  end
  return picture:finish(bottom + 22)
end

-- "stage10_tma_ring" to "10" and the title of its chapter: what is new there,
-- which a folder's name may not say; or else "tma ring".
local function words_of(name)
  local number, rest = name:match '^stage(%d+)_(.*)$'
  local chapter = files.matching('(chapters/%d+%-stage' .. number
    .. '%-[^/]*%.md)')[1]
  local title = chapter and files.text(chapter):match '^# Stage %d+: (.-) {#'
  return number, title or (rest:gsub('_', ' '))
end

-- For each stage a bar, as long as the ceiling's time in percent of the
-- stage's, a line where the fastest library is, and both shares as numbers.
-- list, best: what results.shares says.
function bars.shares_svg(list, best)
  local top, row_height, left = 40, 21, 232
  local columns = { ceiling = 548, library = 632 }
  local bottom, picture = top + #list * row_height, svg.new(640)
  local function at(percent) return left + 2.4 * percent end
  for percent = 0, 100, 20 do
    picture:line('grid', at(percent), top - 6, at(percent), bottom)
    picture:text(at(percent), bottom + 16, 'tick',
      percent == 100 and 'ceiling' or percent .. ' %', 'middle')
  end
  for _, of in ipairs { 'ceiling', 'library' } do
    picture:text(columns[of], 14, 'tick',
      of == 'library' and 'of the best' or 'of the', 'end')
    picture:text(columns[of], 30, 'tick', of, 'end')
  end
  for index, share in ipairs(list) do
    local y, number, words = top + (index - 1) * row_height,
      words_of(share.name)
    picture:text(24, y + 11, 'tick', number, 'end')
    picture:text(34, y + 11, 'label', words)
    picture:rect('bar', left, y, at(share.ceiling) - left, 13)
    for _, of in ipairs { 'ceiling', 'library' } do
      picture:text(columns[of], y + 11, 'value',
        format.value(share[of], '%.0f %%'), 'end')
    end
  end
  picture:line('whisker', at(best.ceiling), top - 6, at(best.ceiling), bottom)
  picture:text(at(best.ceiling), top - 12, 'label', best.name, 'middle')
  return picture:finish(bottom + 24)
end

-- The lines "times REF" and "ceiling REF".
function bars.shares(block, _, context)
  local given, takers = {}, {}
  for _, key in ipairs { 'times', 'ceiling' } do
    takers[key] = { 1, 1, function(where, reference)
      given[key] = results.get(reference, where)
    end }
  end
  block_lines.take(block, context, 'a line is "times REF" or "ceiling REF"',
    takers)
  return bars.shares_svg(results.shares(given.times, given.ceiling,
    kernels.stages()))
end

return bars
