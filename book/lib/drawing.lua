-- Figures as inline SVG: drawn from results, or taken from chapters/figures.
-- Colours are attributes, for readers without style sheets, and classes, which
-- the page's style sheet lets follow light and dark.
local files = require 'files'
local format = require 'format'
local paragraphs = require 'paragraphs'
local report = require 'report'
local results = require 'results'
local timeline = require 'timeline'
local typed = require 'typed_figures'
local widgets = require 'widgets'
local drawing = { used = {} }

local FORBIDDEN = { '<script', '<style', '<image', '<foreignObject', 'https?:',
                    ' on%l+=' }
local WIDTH, BAR, STEP, LEFT, RIGHT = 480, 16, 46, 4, 72

local function text_at(x, y, class, text, extra)
  return string.format('<text x="%.1f" y="%.1f" class="%s" font-size="13" '
    .. 'fill="#1f2328"%s>%s</text>', x, y, class, extra or '',
    format.escape(text))
end

-- A step for about four ticks: 1, 2 or 5 times a power of ten.
local function tick_step(maximum)
  local power = 10 ^ math.floor(math.log(maximum / 4, 10))
  for _, factor in ipairs { 1, 2, 5, 10 } do
    if power * factor * 5 >= maximum then return power * factor end
  end
end

local function axis(parts, scale, maximum, height, unit)
  local step = tick_step(maximum)
  local count = math.floor(maximum / step + 1e-9)
  for index = 0, count do
    local x = LEFT + index * step * scale
    parts[#parts + 1] = string.format('<line x1="%.1f" x2="%.1f" y1="4" '
      .. 'y2="%.1f" class="grid" stroke="#d0d7de"/>', x, x, height - 26)
    local label = format.value(index * step, '%g')
    if index == count then label = label .. ' ' .. unit end
    parts[#parts + 1] = text_at(x, height - 8, 'tick', label,
      index == 0 and '' or ' text-anchor="middle"')
  end
end

local function bar(parts, entry, top, scale, pattern)
  local middle, width = top + 22 + BAR / 2, entry.value * scale
  local edge = LEFT + width
  parts[#parts + 1] = text_at(LEFT, top + 14, 'label', entry.label)
  parts[#parts + 1] = string.format('<rect x="%d" y="%.1f" width="%.1f" '
    .. 'height="%d" class="bar" fill="#0a5c9e"/>', LEFT, top + 22, width, BAR)
  if entry.low then
    local low, high = LEFT + entry.low * scale, LEFT + entry.high * scale
    parts[#parts + 1] = string.format(
      '<path d="M%.1f %.1fV%.1fM%.1f %.1fV%.1fM%.1f %.1fH%.1f" '
      .. 'class="whisker" fill="none" stroke="#b3460e" stroke-width="2"/>',
      low, middle - 6, middle + 6, high, middle - 6, middle + 6, low, middle,
      high)
    edge = math.max(edge, high)
  end
  parts[#parts + 1] = text_at(edge + 6, middle + 5, 'value',
    format.value(entry.value, pattern))
end

local function check_typed(text, where)
  typed.find(text, function(_, figure)
    report.at(where, typed.MESSAGE, figure)
  end)
end

-- "Label | EXPRESSION", then "| SPREAD" or "| LOW | HIGH" for the whisker.
local function entry_of(text, where)
  local fields = {}
  for field in (text .. '|'):gmatch('([^|]*)|') do
    fields[#fields + 1] = field:match('^%s*(.-)%s*$')
  end
  if #fields < 2 or #fields > 4 then
    report.at(where,
      'a bar is "LABEL | VALUE", "| SPREAD" or "| LOW | HIGH"')
    return nil
  end
  check_typed(fields[1], where)
  local numbers = {}
  for index = 2, #fields do
    local value = results.evaluate(fields[index], where)
    if value == nil then return nil end
    if type(value) ~= 'number' or value < 0 then
      report.at(where, '"%s" is no number that a bar can show', fields[index])
      return nil
    end
    numbers[index - 1] = value
  end
  local value, low, high = table.unpack(numbers)
  if low and not high then low, high = math.max(0, value - low), value + low end
  return { label = fields[1], value = value, low = low, high = high }
end

local kinds = { roofline = require 'roofline' }

-- Horizontal bars, one below the other, with whiskers for the noise.
function kinds.ladder(block, attributes, context)
  local entries, maximum, line = {}, 0, context.line
  for text in (block.text .. '\n'):gmatch('([^\n]*)\n') do
    line = line + 1
    if text:find('%S') then
      local entry = entry_of(text, { file = context.file, line = line })
      if not entry then return nil end
      entries[#entries + 1] = entry
      maximum = math.max(maximum, entry.high or entry.value)
    end
  end
  if maximum == 0 then
    report.at(context, 'the figure shows nothing')
    return nil
  end
  local _, reason = format.value(1, attributes.fmt)
  if reason then
    report.at(context, '%s', reason)
    return nil
  end
  local scale, height = (WIDTH - LEFT - RIGHT) / maximum, #entries * STEP + 34
  local parts = {}
  axis(parts, scale, maximum, height, attributes.unit or '')
  for index, entry in ipairs(entries) do
    bar(parts, entry, (index - 1) * STEP, scale, attributes.fmt)
  end
  return string.format('<svg xmlns="http://www.w3.org/2000/svg" class="plot" '
    .. 'viewBox="0 0 %d %d" font-family="sans-serif">\n%s\n</svg>', WIDTH,
    height, table.concat(parts, '\n'))
end

-- "SUMMARY:timeline/SHAPE": two steps of one block's warps, with clock stamps.
-- cycles="2000" gives several of them the same axis.
function kinds.timeline(block, attributes, context)
  local reference = block.text:match('^%s*(%S+)%s*$') or ''
  local name = reference:match('^[^:]*')
  local data = results.get(reference .. '/drawing', context)
  local meta = data and results.get(name .. ':build_meta', context)
  if not meta then return nil end
  return timeline.svg(data, format.escape(string.format('%s, %s, on %s',
    meta.stage, reference:match('[^/]*$'), meta.device.name)), 'cycles',
    tonumber(attributes.cycles))
end

-- The ids in a drawing get the figure's own in front.
local function with_own_ids(svg, id)
  local prefix = id .. '-'
  return (svg:gsub(' id="', ' id="' .. prefix)
    :gsub('url%(#', 'url(#' .. prefix):gsub('href="#', 'href="#' .. prefix))
end

-- A hand-written figure.
local function from_file(path, context)
  local text = files.text(path)
  if not text then
    report.at(context, 'there is no file %s', path)
    return nil
  end
  drawing.used[path] = true
  local svg = text:match('<svg.*</svg>')
  local bare = svg and svg:gsub('xmlns[:%w]*="[^"]*"', '')
  if not svg or not svg:match('^<svg[^>]*viewBox=') then
    report.line(path, 1, 'this is no SVG with a viewBox')
    return nil
  end
  for _, pattern in ipairs(FORBIDDEN) do
    local bad = bare:match(pattern)
    if bad then
      report.line(path, files.line_of(path, bad),
        'an inlined figure may not contain "%s"', bad)
    end
  end
  return svg
end

-- The SVG of a figure block with its text for those who can't see it, or nil.
function drawing.of(block, attributes, id, context)
  if not attributes.alt or #attributes.alt < 10 then
    report.at(context,
      'the figure needs alt="what it shows, in a sentence"')
  end
  check_typed(attributes.alt or '', context)
  paragraphs.add_text(attributes.alt or '', context)
  local svg
  if block and block.classes[1] == 'widget' then
    if attributes.file then report.at(context, 'a widget has no file="..."') end
    svg = widgets.picture(block.text, attributes.kind or '', context)
  elseif attributes.file then
    svg = from_file('chapters/figures/' .. attributes.file, context)
  elseif kinds[attributes.kind or ''] then
    svg = kinds[attributes.kind](block, attributes, context)
  else
    report.at(context, 'a figure needs file="..." or kind="ladder", "roofline" '
      .. 'or "timeline"')
  end
  return svg and with_own_ids(svg, id):gsub('^<svg',
    '<svg role="img" aria-label="' .. format.escape(attributes.alt or '') ..
    '"', 1)
end

return drawing
