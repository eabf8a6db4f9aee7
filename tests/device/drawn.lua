#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- drawn.lua MAPS.json DRAWING.svg: does chapter 5's drawing of an accumulator
-- show each pair of elements where the recorded map has it?
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'

-- Of the drawing: the middle of its first cell, and how far apart cells are.
local LEFT, TOP, ACROSS, DOWN = 346.5, 52.5, 53, 16
local MARKED = 5

local function read(path)
  local file, reason = io.open(path)
  if not file then print(reason) os.exit(3) end
  local text = file:read 'a'
  file:close()
  return text
end

if #arg ~= 2 then
  print 'usage: drawn.lua MAPS.json DRAWING.svg'
  os.exit(2)
end
local map = json.decode(read(arg[1])).maps.accumulator
local shown, wrong = {}, 0
for x, y, text in read(arg[2]):gmatch
    '<text x="([%d.]+)" y="([%d.]+)"[^>]*>([^<]*)</text>' do
  shown[x .. ' ' .. y] = text
end
for row = 1, 16 do
  for pair = 1, 8 do
    local lane, first = map[row][2 * pair - 1]:match '^(%d+) x(%d)$'
    local other, second = map[row][2 * pair]:match '^(%d+) x(%d)$'
    local expected = tonumber(lane) ~= MARKED and lane
      or string.format('x[%s] x[%s]', first, second)
    local place = string.format('%.1f %.1f', LEFT + (pair - 1) * ACROSS,
      TOP + (row - 1) * DOWN)
    if lane ~= other or shown[place] ~= expected then
      wrong = wrong + 1
      print(string.format('row %d, columns %d and %d: drawn %s, held: %s, %s',
        row - 1, 2 * pair - 2, 2 * pair - 1, tostring(shown[place]),
        map[row][2 * pair - 1], map[row][2 * pair]))
    end
  end
end
os.exit(wrong == 0)
