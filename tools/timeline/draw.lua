#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- draw.lua SUMMARY.json FILE.svg [SHAPE [CYCLES]]: draws two steps of a block,
-- a row a warp, from a recorded summary: of mission, or of its first shape, if
-- none is given, with an axis that ends at CYCLES. The book draws the same.
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'
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
local summary, what = json.decode(file:read 'a')
file:close()
if what then fail(1, '%s is not valid JSON: %s', arg[1], what) end
local shapes = summary.timeline or {}
local shape = arg[3] or shapes.mission and 'mission'
  or (json.keys(shapes) or {})[1]
local entry = shape and shapes[shape]
if not entry then
  fail(1, '%s has no timeline of %s', arg[1], shape or 'any shape')
end

local unit = summary.build_meta.device.is_gpu and 'cycles' or 'steps'
local svg = timeline.svg(entry.drawing, string.format('%s, %s, on %s',
  summary.build_meta.stage, shape, summary.build_meta.device.name), unit,
  tonumber(arg[4]))
local out
out, reason = io.open(arg[2], 'w')
if not out then fail(3, '%s', reason) end
out:write(svg)
out:close()
