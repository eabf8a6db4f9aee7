-- What the warps of each kernel waited for, from recorded profiles: a bar a
-- kernel, a part a reason. A profile says how many warps wait for a reason at
-- each instruction started; times the instructions, that is the time that all
-- warps together waited for it.
local format = require 'common.format'
local json = require 'data.json'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'
local hatched_boxes = require 'figures.hatched_boxes'
local typed = require 'text.typed_figures'

local BAR, STEP, RIGHT = 16, 42, 62
local LEGEND, COLUMN, ROW = 2, 256, 22
local SHADES = { { 0.75 }, { 0.25 }, { 0, 'slant' }, { 0.45, 'dots' },
  { 0.12, 'bars' }, { 0.12, 'cross' }, { 0 } }

-- The time waited, in millions of cycles: by reason, and for all.
local function waits_of(reference, where)
  local counters = results.get(reference, where)
  if counters == nil then return nil end
  local waits, total = {}, 0
  for _, key in ipairs(json.keys(counters) or {}) do
    local reason = key:match('^stall_(.*)$')
    if reason then
      waits[reason] = counters[key] * (counters.instructions or 0) / 1e6
      total = total + waits[reason]
    end
  end
  if total == 0 then
    return report.at(where, '"%s" says of no instructions what they waited for',
      reference)
  end
  return waits, total
end

-- "part LABEL | REASON": the next part of each bar; "rest LABEL": what is left.
-- "bar LABEL | PROFILE:ncu/SHAPE".
local function read(block, context)
  local parts, bars, well, seen = {}, {}, true, {}
  for _, line in plot.lines(block, context) do
    local kind, text = line.text:match('^%s*(%l+)%s+(.*)$')
    local label, value, more = table.unpack(plot.fields(text or ''))
    typed.check(label, line.where)
    if kind == 'part' and value and not more and not seen[value] then
      seen[value] = true
      parts[#parts + 1] = { label = label, reason = value }
    elseif kind == 'rest' and not value then
      parts[#parts + 1] = { label = label }
    elseif kind == 'bar' and value and not more then
      local waits, total = waits_of(value, line.where)
      well = well and waits
      bars[#bars + 1] =
        { label = label, waits = waits, total = total, where = line.where }
    else
      report.at(line.where, 'a line is "part LABEL | REASON", "rest LABEL" or '
        .. '"bar LABEL | PROFILE:ncu/SHAPE"; a part once')
      well = false
    end
  end
  if well and (#bars == 0 or #parts == 0 or #parts > #SHADES) then
    report.at(context, 'stalls need a bar, and from 1 to %d parts', #SHADES)
    well = false
  end
  return well and parts, bars
end

-- How wide each part of a bar is; nil when the profile lacks a reason.
local function shares(bar, parts)
  local widths, rest, last = {}, bar.total, nil
  for index, part in ipairs(parts) do
    if part.reason then
      local wait = bar.waits[part.reason]
      if not wait then
        return report.at(bar.where, 'the profile knows no reason "%s"',
          part.reason)
      end
      widths[index], rest = wait, rest - wait
    else
      last = index
    end
  end
  if last then widths[last] = math.max(0, rest) end
  return widths
end

local function legend(out, parts, top)
  for index, part in ipairs(parts) do
    local x = plot.LEFT + (index - 1) % LEGEND * COLUMN
    local y = top + (index - 1) // LEGEND * ROW
    hatched_boxes.box(out, SHADES[index][1], SHADES[index][2], x, y, 26, 14)
    out[#out + 1] = plot.text(x + 32, y + 12, 'label', part.label)
  end
  return top + (#parts + LEGEND - 1) // LEGEND * ROW
end

return function(block, attributes, context)
  local parts, bars = read(block, context)
  if not parts then return nil end
  local most, out = 0, {}
  for _, bar in ipairs(bars) do most = math.max(most, bar.total) end
  local scale = (plot.WIDTH - plot.LEFT - RIGHT) / most
  local bottom = #bars * STEP + 34
  plot.axis(out, scale, most, bottom, attributes.unit or '')
  for row, bar in ipairs(bars) do
    local x, y = plot.LEFT, (row - 1) * STEP
    local widths = shares(bar, parts)
    if not widths then return nil end
    out[#out + 1] = plot.text(x, y + 14, 'label', bar.label)
    for index = 1, #parts do
      local width = (widths[index] or 0) * scale
      hatched_boxes.box(out, SHADES[index][1], SHADES[index][2], x, y + 20,
        width, BAR)
      x = x + width
    end
    out[#out + 1] = plot.text(x + 6, y + 33, 'value',
      format.value(bar.total, attributes.fmt or '%.1f'))
  end
  local height = legend(out, parts, bottom + 8)
  return plot.svg(out, height)
end
