#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- draw.lua SUMMARY.json FILE.svg [SHAPE [CYCLES]]: draws two steps of a block,
-- a row a warp, from a recorded summary: of mission, or of its first shape, if
-- none is given, with an axis that ends at CYCLES. The book draws the same.
package.path = 'book/lib/?.lua;' .. package.path
local results = require 'data.results'
local timeline = require 'figures.timeline'

local function fail(code, ...)
  io.stderr:write('draw: ', string.format(...), '\n')
  os.exit(code)
end

if #arg < 2 then
  fail(2, 'usage: draw.lua SUMMARY.json FILE.svg [SHAPE [CYCLES]]')
end
local file, reason = io.open(arg[1])
if not file then fail(3, '%s', reason) end
file:close()
local summary, wrong = results.read(arg[1])
if not summary then fail(1, '%s: %s', arg[1], wrong or 'it is empty') end

-- The value at a path of keys, of that type.
local function at(path, wanted)
  local value, missing = results.at(summary, path, wanted)
  if missing then fail(1, '%s: %s', arg[1], missing) end
  return value
end

local shapes = results.at(summary, 'timeline', 'table') or {}
local shape = arg[3] or shapes.mission and 'mission'
  or (results.keys(shapes) or {})[1]
if not shape or not shapes[shape] then
  fail(1, '%s has no timeline of %s', arg[1], shape or 'any shape')
end

local drawing = at('timeline/' .. shape .. '/drawing', 'table')
local title = string.format('%s, %s, on %s', at('build_meta/stage', 'string'),
  shape, at('build_meta/device/name', 'string'))
local unit = at('build_meta/device/is_gpu', 'boolean') and 'cycles' or 'steps'
local drawn, svg = pcall(timeline.svg, drawing, title, unit, tonumber(arg[4]))
if not drawn then
  fail(1, '%s: timeline/%s/drawing is not what can be drawn', arg[1], shape)
end
local out
out, reason = io.open(arg[2], 'w')
if not out then fail(3, '%s', reason) end
out:write(svg)
out:close()
