-- A drawing as SVG, for all figures that are drawn from results. Colours are
-- attributes, for readers without style sheets, and classes, which the page's
-- style sheet lets follow light and dark.
local format = require 'common.format'
local svg = { WIDTH = 480, LEFT = 4 }
svg.__index = svg

local INK = '#1f2328'
local STYLES = {
  bar = { fill = '#0a5c9e' }, label = { fill = INK }, tick = { fill = INK },
  value = { fill = INK }, accent = { fill = '#b3460e', fill_opacity = 0.3 },
  grid = { stroke = '#d0d7de', stroke_width = 1 },
  axis = { stroke = '#57606a', stroke_width = 2 },
  whisker = { fill = 'none', stroke = '#b3460e', stroke_width = 2 },
  line = { fill = 'none', stroke = INK },
  box = { fill = '#f6f5f0', stroke = INK, stroke_width = 0.6 },
}

-- Attributes: a number with two decimals at most; "_" in a name is "-".
function svg.element(name, attributes, content)
  local list = {}
  for key, value in pairs(attributes) do
    if type(value) == 'number' then
      value = string.format('%.2f', value):gsub('%.?0+$', '')
    end
    list[#list + 1] = string.format(' %s="%s"', key:gsub('_', '-'), value)
  end
  table.sort(list)
  return '<' .. name .. table.concat(list)
    .. (content and '>' .. content .. '</' .. name .. '>' or '/>')
end

-- width: of a figure that needs more room than most; size: of its letters.
function svg.new(width, size)
  return setmetatable({ width = width, size = size or 13 }, svg)
end

function svg:add(name, class, attributes, content)
  for key, value in pairs(STYLES[class] or {}) do
    attributes[key] = attributes[key] or value
  end
  attributes.class = class
  self[#self + 1] = svg.element(name, attributes, content)
end

-- anchor: where x is in the text, "start", "middle" or "end".
function svg:text(x, y, class, text, anchor)
  self:add('text', class, { x = x, y = y, font_size = self.size,
    text_anchor = anchor }, format.escape(text))
end

function svg:line(class, x1, y1, x2, y2, width)
  self:add('line', class,
    { x1 = x1, y1 = y1, x2 = x2, y2 = y2, stroke_width = width })
end

function svg:rect(class, x, y, width, height, more)
  local attributes = { x = x, y = y, width = width, height = height }
  for key, value in pairs(more or {}) do attributes[key] = value end
  self:add('rect', class, attributes)
end

local STEP = 6  -- between two lines of a hatching

-- Lines from edge to edge of a box at 45 degrees, rising or falling.
local function slanted(x, y, width, height, rises)
  local path = {}
  for sum = STEP, width + height, STEP do
    local from, to = math.max(0, sum - height), math.min(width, sum)
    local start = rises and y + sum - from or y + height - sum + from
    path[#path + 1] = string.format('M%.1f %.1fl%.1f %.1f', x + from, start,
      to - from, rises and from - to or to - from)
  end
  return table.concat(path)
end

local function repeated(pattern, length, each)
  local path = {}
  for at = STEP / 2, length, STEP do
    path[#path + 1] = string.format(pattern, each(at))
  end
  return table.concat(path)
end

-- The path of each hatching in a box. An SVG pattern would do it in a line, but
-- Chromium prints patterns as pictures of dots: slowly, and ten times as large.
local HATCHES = {
  slant = function(x, y, width, height)
    return slanted(x, y, width, height, true)
  end,
  cross = function(x, y, width, height)
    return slanted(x, y, width, height, true) .. slanted(x, y, width, height)
  end,
  bars = function(x, y, width, height)
    return repeated('M%.1f %.1fv%d', width,
      function(at) return x + at, y, height end)
  end,
  dots = function(x, y, width, height)
    return repeated('M%.1f %.1fh%.1f', height,
      function(at) return x, y + at, width end)
  end,
}

-- A box that can be told apart without colour. shade: how opaque it is, and the
-- name of its hatching, if any.
function svg:shaded(shade, x, y, width, height)
  local opacity, hatch = table.unpack(shade)
  if opacity > 0 then
    self:rect('bar', x, y, width, height, { fill_opacity = opacity })
  end
  local path = hatch and HATCHES[hatch](x, y, width, height) or ''
  if path ~= '' then
    self:add('path', 'line', { d = path, stroke_opacity = 0.55,
      stroke_dasharray = hatch == 'dots' and '2 4' or nil })
  end
  self:rect('box', x, y, width, height, { fill_opacity = 0 })
end

-- list: each {shade, label}; gives the height below it.
function svg:legend(list, top, columns)
  local width = (self.width or svg.WIDTH) / columns
  for index, entry in ipairs(list) do
    local x = svg.LEFT + (index - 1) % columns * width
    local y = top + (index - 1) // columns * 22
    self:shaded(entry[1], x, y, 26, 14)
    self:text(x + 32, y + 12, 'label', entry[2])
  end
  return top + (#list + columns - 1) // columns * 22
end

-- A step for about four ticks: 1, 2 or 5 times a power of ten.
local function tick_step(maximum)
  local power = 10 ^ math.floor(math.log(maximum / 4, 10))
  for _, factor in ipairs { 1, 2, 5, 10 } do
    if power * factor * 5 >= maximum then return power * factor end
  end
end

-- Vertical lines with their values below, from y = 4 to 26 above the bottom.
-- pattern: of the bars' numbers.
function svg:axis(scale, maximum, bottom, unit, pattern)
  local form = (pattern or ''):find '/1000$' and '%g/1000' or '%g'
  local step = tick_step(maximum)
  local count = math.floor(maximum / step + 1e-9)
  for index = 0, count do
    local x = svg.LEFT + index * step * scale
    self:line('grid', x, 4, x, bottom - 26)
    local label = format.value(index * step, form)
    if index == count then label = label .. ' ' .. unit end
    self:text(x, bottom - 8, 'tick', label, index > 0 and 'middle' or nil)
  end
end

function svg:finish(height)
  return svg.element('svg', { xmlns = 'http://www.w3.org/2000/svg',
    class = not self.width and 'plot' or nil, font_family = 'sans-serif',
    viewBox = string.format('0 0 %d %d', self.width or svg.WIDTH, height) },
    '\n' .. table.concat(self, '\n') .. '\n')
end

return svg
