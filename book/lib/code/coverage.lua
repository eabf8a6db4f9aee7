-- The literate rule: every line of every kernel is shown where it is new. And
-- which listing explains a line of a source: one of the stage's own chapter
-- that shows it, or, for what repeats the previous stage, the one that explains
-- it there.
local files = require 'common.files'
local kernels = require 'data.kernels'
local sources = require 'code.sources'
local report = require 'common.report'
-- shown[path]: a list of places, the listings that show its lines;
-- told[path][region]: what a region of a kernel does, where chapters/lines says
-- it: a place as well.
local coverage = { shown = {}, told = {} }

-- place: {file, page, id, title}, a listing; numbers: the lines that it shows.
function coverage.add(path, numbers, place)
  place.has, place.size = {}, #numbers
  for _, number in ipairs(numbers) do place.has[number] = true end
  coverage.shown[path] = coverage.shown[path] or {}
  table.insert(coverage.shown[path], place)
end

-- The shortest listing that shows a line, in one chapter or in any.
local function shortest(path, number, chapter)
  local best
  for _, place in ipairs(coverage.shown[path] or {}) do
    if place.has[number] and (not chapter or place.file == chapter)
        and (not best or place.size < best.size) then
      best = place
    end
  end
  return best
end

local function mark_changes(source)
  for _, line in ipairs(source.lines) do
    if not sources.is_old(source, line) then
      for _, place in ipairs(coverage.shown[source.path] or {}) do
        place.changes = place.changes or place.has[line.number]
      end
    end
  end
end

-- A blank line belongs to what is above it, the first ones to what is below; so
-- does a directive that no listing shows.
local function join(lines)
  for index, line in ipairs(lines) do
    if index > 1 and (sources.is_blank(line) or
        not line.place and sources.is_directive(line)) then
      line.place, line.told = lines[index - 1].place, lines[index - 1].told
    end
  end
  for index = #lines - 1, 1, -1 do
    if sources.is_blank(lines[index]) then
      lines[index].place = lines[index].place or lines[index + 1].place
    end
  end
end

-- The lines of a source: {number, text, place, is_new, told}; place and told
-- may be nil.
-- chapter: the file of its stage's chapter; old: the lines of the kernel of the
-- stage before, explained. Each may be nil.
function coverage.lines(source, chapter, old)
  local repeated = old and sources.repeats(source) or { all = {}, read = {} }
  mark_changes(source)
  local lines, places = {}, {}
  local all_told = coverage.told[source.path] or {}
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

-- Each new line is in a listing of the stage's chapter; directives that only
-- choose between arms need not be.
local function check_shown(source, chapter)
  local default = sources.default(source)
  for _, line in ipairs(source.lines) do
    if not (sources.is_old(source, line) or sources.is_directive(line)
        or shortest(source.path, line.number, chapter)) then
      report.line(source.path, line.number, default[line.number]
        and 'this line is in no region that %s cites'
        or 'this line is not compiled by default, and in no .arm of %s',
        chapter)
    end
  end
end

-- Where each region has its sentence, all lines are shown with these.
local function check_told(source)
  for _, line in ipairs(source.lines) do
    if not (line.region or sources.is_blank(line)) then
      report.line(source.path, line.number, 'this line is in no region')
    end
  end
end

-- chapter_of: stage folder -> its chapter's file.
function coverage.check(chapter_of)
  local stages = kernels.stages()
  for _, stage in ipairs(stages) do
    local source = sources.of(kernels.path(stage))
    sources.check_width(source)
    if coverage.told[source.path] then
      check_told(source)
    elseif chapter_of[stage] then
      check_shown(source, chapter_of[stage])
    else
      report.line('chapters/book.yaml', 1, 'no chapter has "stage: %s"', stage)
    end
  end
end

-- Recorded output and drawn figures that no chapter shows.
function coverage.check_unused(pattern, used)
  for _, path in ipairs(files.matching(pattern)) do
    if not used[path] then
      report.line(path, nil, 'no chapter shows this file')
    end
  end
end

return coverage
