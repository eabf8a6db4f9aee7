#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- timetable.lua: prints the courses of workshop/timetables.list as tables. The
-- labs' minutes are those of the labs, chapters' titles those of the chapters.
-- Exit 1, with one sentence, where a day has too little room.
local format = dofile 'tools/labs/format.lua'
local files = dofile 'tools/labs/files.lua'
local LIST = 'workshop/timetables.list'
local LONGEST = 100 -- minutes without a break

local function refuse(number, ...)
  files.stop('%s:%d: %s', LIST, number, string.format(...))
end

-- Chapters by their id: the title and the file.
local function chapters()
  local found = {}
  local pipe = io.popen 'ls chapters/*.md'
  for path in pipe:lines() do
    local title, id = files.read(path):match '# ([^\n]-) {#(ch%-[%w-]+)}'
    if id then found[id] = {title = title, path = '../' .. path} end
  end
  pipe:close()
  return found
end

local function linked(chapter, number, id)
  if not chapter then refuse(number, 'there is no chapter %s.', id) end
  return string.format('[%s](%s)', chapter.title, chapter.path)
end

-- A line's minutes, words and chapter. `seen`: the labs of this course.
local function entry(kind, rest, number, known, seen)
  if kind == 'lab' then
    local lab = format.read(rest)
    if seen[rest] then refuse(number, '%s is in this course twice.', rest) end
    seen[rest] = true
    return {minutes = lab.minutes, lab = true, words = string.format(
      '**%s**: %s', rest, lab.title),
      chapter = linked(known[lab.chapter], number, lab.chapter)}
  end
  local minutes, words = rest:match '^(%d+) | (.+)$'
  if not minutes then refuse(number, '"%s MINUTES | WORDS" it is.', kind) end
  local one = {minutes = tonumber(minutes), pause = kind == 'break'}
  if kind == 'talk' then
    local id, said = words:match '^(%S+) | (.+)$'
    if not id then refuse(number, 'a talk names its chapter.') end
    one.chapter, words = linked(known[id], number, id), said
  elseif kind ~= 'start' and kind ~= 'break' then
    refuse(number, 'there is no line that begins with "%s".', kind)
  end
  one.words = words
  return one
end

local function read()
  local courses, known, number, seen = {}, chapters(), 0, nil
  for line in assert(io.lines(LIST)) do
    number = number + 1
    local kind, rest = line:match '^(%l+) (.+)$'
    local course = courses[#courses]
    local days = course and course.days
    if kind == 'course' then
      local hours, title = rest:match '^(%d+) | (.+)$'
      if not hours then refuse(number, '"course HOURS | TITLE" it is.') end
      courses[#courses + 1] = {hours = tonumber(hours), title = title,
        days = {}}
      seen = {}
    elseif kind == 'day' and days and tonumber(rest) then
      days[#days + 1] = {room = 60 * tonumber(rest), number = number}
    elseif kind and days and #days > 0 then
      table.insert(days[#days], entry(kind, rest, number, known, seen))
    elseif line ~= '' and not line:find '^#' then
      refuse(number, 'a course begins with "course" and a "day".')
    end
  end
  return courses
end

local function clock(minutes)
  return string.format('%d:%02d', minutes // 60, minutes % 60)
end

-- The day's lines, and how many of its minutes are labs'.
local function table_of(day)
  local lines, now, since, labs = {'| from | minutes | what | chapter |',
    '|---:|---:|---|---|'}, 0, 0, 0
  for _, one in ipairs(day) do
    lines[#lines + 1] = string.format('| %s | %d | %s | %s |', clock(now),
      one.minutes, one.words, one.chapter or '')
    now = now + one.minutes
    since = one.pause and 0 or since + one.minutes
    labs = labs + (one.lab and one.minutes or 0)
    if since > LONGEST then
      refuse(day.number, '%d minutes without a break, up to %s of this day.',
        since, clock(now))
    end
  end
  if now > day.room then
    refuse(day.number, 'this day takes %d minutes, %d more than it has: ' ..
      'leave a lab or a talk out.', now, now - day.room)
  end
  lines[#lines + 1] = string.format('| %s | %d | questions, and what took ' ..
    'longer | |', clock(now), day.room - now)
  return table.concat(lines, '\n') .. '\n', labs
end

local function print_course(course)
  local room, labs, tables = 0, 0, {}
  for i, day in ipairs(course.days) do
    local text, of_labs = table_of(day)
    tables[i] = (#course.days > 1 and 'Day ' .. i .. ':\n\n' or '') .. text
    room, labs = room + day.room, labs + of_labs
  end
  if room ~= 60 * course.hours then
    files.stop('%s: the days of the course of %d hours have %d.', LIST,
      course.hours, room // 60)
  end
  print(string.format('\n## %d hours: %s\n\nLabs take %d of the %d minutes.\n',
    course.hours, course.title, labs, room))
  io.write(table.concat(tables, '\n'))
end

files.main(function()
  local courses = read()
  print('# Timetables\n\n`make timetables` writes this page from ' ..
    '`timetables.list` and from the minutes\nthat each lab states. To ' ..
    'change it, change these.')
  for _, course in ipairs(courses) do print_course(course) end
end, 1)
