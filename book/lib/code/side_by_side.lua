-- A difference as two columns: which old line stands beside which new one.
local side_by_side = {}

side_by_side.GAP = {}  -- in place of lines that are not shown

-- Steps of difference.of to a list of rows {old, new}, each an {index, sign}, a
-- GAP or false. shown: which steps are. Lines that replace others stand beside
-- them, in their order.
function side_by_side.rows(steps, shown)
  local rows, old, new = {}, 0, 0  -- the last row that has an old, a new line
  local function put(is_old, is_new, from, to)
    if is_old and is_new then old, new = #rows, #rows end
    if is_old then
      old = old + 1
      rows[old] = rows[old] or { false, false }
      rows[old][1] = from
    end
    if is_new then
      new = new + 1
      rows[new] = rows[new] or { false, false }
      rows[new][2] = to
    end
  end
  for index, step in ipairs(steps) do
    local sign, before, after = step[1], step[2], step[3]
    if shown[index] then
      put(before, after, { before, sign }, { after, sign })
    elseif shown[index - 1] or index == 1 then
      put(true, true, side_by_side.GAP, side_by_side.GAP)
    end
  end
  return rows
end

-- The lines of a column (1, the old, or 2): a list of show(line, skipped), line
-- being an {index, sign} or GAP, and skipped the empty rows above it.
function side_by_side.column(rows, which, show)
  local list, skipped = {}, 0
  for _, row in ipairs(rows) do
    if row[which] then
      list[#list + 1] = show(row[which], skipped)
    end
    skipped = row[which] and 0 or skipped + 1
  end
  return list
end

return side_by_side
