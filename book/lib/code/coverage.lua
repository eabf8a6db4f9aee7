-- The literate rule: every line of every kernel is in a region, and of each
-- region chapters/lines says what it does. And which listing explains a line of
-- a source: one of the stage's own chapter that shows it, or else any.
local kernels = require 'data.kernels'
local sources = require 'code.sources'
local report = require 'common.report'
-- shown[path]: a list of places, the listings that show its lines;
-- told[path][region]: what a region of a kernel does: a place as well.
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
-- chapter: the file of its stage's chapter, or nil.
function coverage.lines(source, chapter)
  local repeated = sources.repeats(source)
  local lines, all_told = {}, coverage.told[source.path] or {}
  for index, line in ipairs(source.lines) do
    local told = all_told[line.region]
    lines[index] = { number = line.number, text = line.text, told = told,
      place = shortest(source.path, line.number, chapter) or told,
      is_new = repeated and not repeated.all[line.number] }
  end
  join(lines)
  return lines
end

-- chapter_of: stage folder -> its chapter's file.
function coverage.check(chapter_of)
  for stage, file in pairs(chapter_of) do
    if not sources.of(kernels.path(stage)) then
      report.line(file, 1, 'there is no kernel of its stage, %s', stage)
    end
  end
  for _, stage in ipairs(kernels.stages()) do
    local source = sources.of(kernels.path(stage))
    if not chapter_of[stage] then
      report.line('chapters/book.yaml', 1, 'no chapter has "stage: %s"', stage)
    elseif not coverage.told[source.path] then
      report.line('chapters/lines/' .. stage .. '.md', nil,
        'this file is missing: it says what each region of the kernel does')
    else
      for _, line in ipairs(source.lines) do
        if not (line.region or sources.is_blank(line)) then
          report.line(source.path, line.number, 'this line is in no region')
        end
      end
    end
  end
end

return coverage
