-- Figures as inline SVG: drawn from results, or taken from chapters/figures.
-- Colours are attributes, for readers without style sheets, and classes, which
-- the page's style sheet lets follow light and dark.
local files = require 'common.files'
local format = require 'common.format'
local report = require 'common.report'
local results = require 'data.results'
local timeline = require 'figures.timeline'
local typed = require 'text.typed_figures'
local widgets = require 'figures.widgets'
local drawing = { used = {} }

local FORBIDDEN = { '<script', '<style', '<image', '<foreignObject', 'https?:',
                    ' on%l+=' }
local kinds = {}
for _, kind in ipairs { 'dots', 'groups', 'ladder', 'lanes', 'layout',
  'ratios', 'roofline', 'stalls', 'wavefronts' } do
  kinds[kind] = require('figures.' .. kind)
end
kinds.shares = require('figures.shares').of
kinds.ring = require('figures.ring').svg

-- The numbers in warps="0 4"; nil for all.
local function chosen_warps(data, attributes, context)
  if not attributes.warps then return nil end
  local numbers = {}
  for word in attributes.warps:gmatch '%S+' do
    local number = math.tointeger(tonumber(word))
    if not number or not data.warps[number + 1] then
      return report.at(context, 'there is no warp "%s" in this timeline', word)
    end
    numbers[#numbers + 1] = number
  end
  return numbers
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
    tonumber(attributes.cycles), chosen_warps(data, attributes, context))
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
    return report.at(context, 'there is no file %s', path)
  end
  drawing.used[path] = true
  local svg = text:match('<svg.*</svg>')
  local bare = svg and svg:gsub('xmlns[:%w]*="[^"]*"', '')
  if not svg or not svg:match('^<svg[^>]*viewBox=') then
    return report.line(path, 1, 'this is no SVG with a viewBox')
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
  typed.check(attributes.alt or '', context)
  local svg
  if block and block.classes[1] == 'widget' then
    if attributes.file then report.at(context, 'a widget has no file="..."') end
    svg = widgets.picture(block.text, attributes.kind or '', context)
  elseif attributes.file then
    svg = from_file('chapters/figures/' .. attributes.file, context)
  elseif kinds[attributes.kind or ''] then
    local fine, drawn =
      pcall(kinds[attributes.kind], block, attributes, context)
    if fine then
      svg = drawn
    else
      report.at(context, '%s is not what a figure of the kind "%s" shows',
        results.last or 'this', attributes.kind)
    end
  else
    report.at(context, 'a figure needs file="..." or kind="dots", "groups", '
      .. '"ladder", "lanes", "layout", "ratios", "roofline", "shares", '
      .. '"stalls", "timeline" or "wavefronts"')
  end
  return svg and with_own_ids(svg, id):gsub('^<svg',
    '<svg role="img" aria-label="' .. format.escape(attributes.alt or '') ..
    '"', 1)
end

return drawing
