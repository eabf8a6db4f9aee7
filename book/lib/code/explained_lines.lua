-- Which listing explains a line of a source: one of the stage's own chapter
-- that shows it, or, for what repeats the previous stage, the one that explains
-- it there. Every listing that shows lines of a source is told here.
local arms = require 'code.arms'
local regions = require 'code.regions'
-- told[path][region]: what a region of a kernel does, where chapters/lines says
-- it: a place as well.
local explained_lines = { shown = {}, told = {} }

-- place: {file, page, id, title}, a listing; numbers: the lines that it shows.
function explained_lines.add(path, numbers, place)
  place.has, place.size = {}, #numbers
  for _, number in ipairs(numbers) do place.has[number] = true end
  explained_lines.shown[path] = explained_lines.shown[path] or {}
  table.insert(explained_lines.shown[path], place)
end

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

local function mark_changes(source)
  for _, line in ipairs(source.lines) do
    if not arms.is_old(source, line) then
      for _, place in ipairs(explained_lines.shown[source.path] or {}) do
        place.changes = place.changes or place.has[line.number]
      end
    end
  end
end

-- A blank line belongs to what is above it, the first ones to what is below; so
-- does a directive that no listing shows.
local function join(lines)
  for index, line in ipairs(lines) do
    if index > 1 and (regions.is_blank(line) or
        not line.place and arms.is_directive(line)) then
      line.place, line.told = lines[index - 1].place, lines[index - 1].told
    end
  end
  for index = #lines - 1, 1, -1 do
    if regions.is_blank(lines[index]) then
      lines[index].place = lines[index].place or lines[index + 1].place
    end
  end
end

-- The lines of a source: {number, text, place, is_new, told}; place and told
-- may be nil.
-- chapter: the file of its stage's chapter; old: the lines of the kernel of the
-- stage before, explained. Each may be nil.
function explained_lines.lines(source, chapter, old)
  local repeated = old and arms.repeats(source) or { all = {}, read = {} }
  mark_changes(source)
  local lines, places = {}, {}
  local all_told = explained_lines.told[source.path] or {}
  for _, line in ipairs(old or {}) do places[line.number] = line.place end
  for index, line in ipairs(source.lines) do
    local earlier = places[repeated.read[line.number]]
    local own = chapter and shortest(source.path, line.number, chapter)
    local told = all_told[line.region]
    local place = own and (own.changes or not earlier) and own
      or told and (own or told) or earlier
      or shortest(source.path, line.number)
    lines[index] = { number = line.number, text = line.text, place = place,
                     told = told,
                     is_new = old ~= nil and not repeated.all[line.number] }
  end
  join(lines)
  return lines
end

return explained_lines
