-- draw.lua TITLE UNIT CYCLES <DRAWING.json: what the book makes of a drawing.
package.path = 'book/lib/?.lua;' .. package.path
local drawing = require('data.json').decode(io.read 'a')
io.write(require('figures.timeline').svg(drawing, arg[1], arg[2],
  tonumber(arg[3])))
