-- draw.lua TITLE UNIT <DRAWING.json: what the book makes of a drawing.
package.path = 'book/lib/?.lua;' .. package.path
local drawing = pandoc.json.decode(io.read 'a', false)
io.write(require('figures.timeline').svg(drawing, arg[1], arg[2]))
