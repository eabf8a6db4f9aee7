-- What a listing of a kernel leaves out: lines that stand in the stage before.
local arms = require 'code.arms'
local folding = {}

local LONGEST = 6  -- repeated lines in a row that are all shown
local AROUND = 2   -- how many of more are shown on each side

-- A blank line is new where those around it are.
local function are_new(lines, repeated)
  local list = {}
  for index, line in ipairs(lines) do
    list[index] = not repeated[line.number] and not arms.is_blank(line.text)
  end
  for index, line in ipairs(lines) do
    if arms.is_blank(line.text) then
      list[index] = list[index - 1] and list[index + 1] or false
    end
  end
  return list
end

-- A list of rows for some lines: each the `line` at an `index`, which may be
-- `new`, or `folded`, a number of lines. repeated: the numbers of the lines
-- that the stage before has. Also says whether any line is new.
function folding.rows(lines, repeated, whole)
  local new, rows, any, first = are_new(lines, repeated), {}, false, 1
  local function row(index)
    rows[#rows + 1] = { line = lines[index], index = index, new = new[index] }
  end
  while first <= #lines do
    local last = first
    while last < #lines and new[last + 1] == new[first] do last = last + 1 end
    local folded = last - first + 1 - 2 * AROUND
    any = any or new[first]
    if whole or new[first] or last - first + 1 <= LONGEST then
      for index = first, last do row(index) end
    else
      for index = first, first + AROUND - 1 do row(index) end
      rows[#rows + 1] = { folded = folded }
      for index = last - AROUND + 1, last do row(index) end
    end
    first = last + 1
  end
  return rows, any
end

return folding
