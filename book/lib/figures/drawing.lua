-- Figures as inline SVG: drawn from results, or taken from chapters/figures.
-- Colours are attributes, for readers without style sheets, and classes, which
-- the page's style sheet lets follow light and dark.
local bars = require 'figures.bars'
local files = require 'common.files'
local format = require 'common.format'
local maps = require 'figures.maps'
local report = require 'common.report'
local results = require 'data.results'
local timeline = require 'figures.timeline'
local typed = require 'text.typed_figures'
local drawing = {}

local kinds = { ladder = bars.ladder, groups = bars.groups,
  stalls = bars.stalls, wavefronts = bars.wavefronts, ratios = bars.ratios,
  shares = bars.shares, lanes = maps.lanes, layout = maps.layout,
  dots = maps.dots, roofline = maps.roofline, ring = maps.ring }

-- "SUMMARY:timeline/SHAPE": two steps of one block's warps, with clock stamps.
-- cycles="2000" gives several of them the same axis, warps="0 4" picks warps.
function kinds.timeline(block, attributes, context)
  local reference = block.text:match('^%s*(%S+)%s*$') or ''
  local name = reference:match('^[^:]*')
  local data = results.get(reference .. '/drawing', context)
  local meta = results.get(name .. ':build_meta', context)
  local warps = attributes.warps
    and pandoc.List(attributes.warps:gmatch '%d+'):map(function(word)
      return tonumber(word)
    end)
  return timeline.svg(data, string.format('%s, %s, on %s', meta.stage,
    reference:match('[^/]*$'), meta.device.name), 'cycles',
    tonumber(attributes.cycles), warps)
end

-- A figure that reacts where there is JavaScript: its still picture, which
-- every format has, and the page until widgets/upgrade.js finds it.
local function widget(settings, kind, context)
  local question = kind .. '\n' .. settings
  local output = files.answer('widget\n' .. question, function()
    return pandoc.pipe('node', { files.HERE .. 'widget-picture.js' }, question)
  end)
  local svg = output:match('^%+(.*)$')
  if svg then return svg end
  local line, message = output:match('^%-(%d+) (.*)$')
  report.line(context.file, context.line + tonumber(line), '%s',
    (message:gsub('%s+', ' ')))
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
    or report.stop(context, 'there is no file %s', path)
  local svg = text:match('<svg.*</svg>') or ''
  if not svg:match('^<svg[^>]*viewBox=') then
    report.stop({ file = path, line = 1 }, 'this is no SVG with a viewBox')
  end
  return svg
end

-- The SVG of a figure block with its text for those who can't see it.
function drawing.of(block, attributes, id, context)
  local alt, kind, svg = attributes.alt or '', attributes.kind or '', nil
  if #alt < 10 then
    report.at(context, 'the figure needs alt="what it shows, in a sentence"')
  end
  typed.check(alt, context)
  if block.classes[1] == 'widget' then
    svg = widget(block.text, kind, context)
  elseif attributes.file then
    svg = from_file('chapters/figures/' .. attributes.file, context)
  elseif kinds[kind] then
    local fine, made = pcall(kinds[kind], block, attributes, context)
    svg = fine and made
    if not fine and made ~= report.STOPPED then
      report.at(context, '%s is not what a figure of the kind "%s" shows',
        results.last or 'this', kind)
    end
  else
    report.at(context, 'there is no figure of the kind "%s"', kind)
  end
  if not svg then error(report.STOPPED, 0) end
  return with_own_ids(svg, id):gsub('^<svg', '<svg role="img" aria-label="'
    .. format.escape(alt) .. '"', 1)
end

return drawing
