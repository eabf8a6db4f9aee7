-- Which listing explains a line of a source: one of the stage's own chapter
-- that shows it, or, for what repeats the previous stage, the one that explains
-- it there. Every listing that shows lines of a source is told here.
local difference = require 'code.difference'
local explained_lines = { shown = {} }

-- place: {file, page, id, title}, a listing; numbers: the lines that it shows.
function explained_lines.add(path, numbers, place)
  place.has, place.size = {}, #numbers
  for _, number in ipairs(numbers) do place.has[number] = true end
  explained_lines.shown[path] = explained_lines.shown[path] or {}
  table.insert(explained_lines.shown[path], place)
end

-- Every source of which the book shows lines, sorted.
function explained_lines.paths()
  local paths = {}
  for path in pairs(explained_lines.shown) do paths[#paths + 1] = path end
  table.sort(paths)
  return paths
end

local function is_blank(line) return not line.text:find('%S') end

-- The shortest listing that shows a line, in one chapter or in any.
local function shortest(path, number, chapter)
  local best
  for _, place in ipairs(explained_lines.shown[path] or {}) do
    if place.has[number] and (not chapter or place.file == chapter)
        and (not best or place.size < best.size) then
      best = place
    end
  end
  return best
end

-- For each line of the source the previous source's line that it repeats.
local function repeated(source, previous)
  local result = {}
  if not previous then return result end
  local old, new = {}, {}
  for index, line in ipairs(previous.lines) do old[index] = line.text end
  for index, line in ipairs(source.lines) do new[index] = line.text end
  for _, step in ipairs(difference.of(old, new)) do
    if step[1] == ' ' then result[step[3]] = step[2] end
  end
  return result
end

local function mark_changes(path, source, repeats)
  for index, line in ipairs(source.lines) do
    if not repeats[index] and not is_blank(line) then
      for _, place in ipairs(explained_lines.shown[path] or {}) do
        place.changes = place.changes or place.has[line.number]
      end
    end
  end
end

-- A blank line belongs to what is above it, the first ones to what is below.
local function join_blanks(lines)
  for index, line in ipairs(lines) do
    if is_blank(line) and index > 1 then line.place = lines[index - 1].place end
  end
  for index = #lines - 1, 1, -1 do
    if is_blank(lines[index]) then
      lines[index].place = lines[index].place or lines[index + 1].place
    end
  end
end

-- The lines of a source: {number, text, place, is_new}; place may be nil.
-- chapter: the file of its stage's chapter; previous: the same source of the
-- stage before, with its lines explained as old. Each may be nil.
function explained_lines.lines(source, chapter, previous, old)
  local repeats = repeated(source, previous)
  mark_changes(source.path, source, repeats)
  local lines = {}
  for index, line in ipairs(source.lines) do
    local earlier = repeats[index] and old[repeats[index]].place
    local own = chapter and shortest(source.path, line.number, chapter)
    local place = own and (own.changes or not earlier) and own or earlier
      or shortest(source.path, line.number)
    lines[index] = { number = line.number, text = line.text, place = place,
                     is_new = previous ~= nil and not repeats[index] }
  end
  join_blanks(lines)
  return lines
end

return explained_lines
