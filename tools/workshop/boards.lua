-- Who is ahead in a lab: by time where a GPU has judged it, else by counters.
local boards = {}

-- The mean of the counters that a lab wants small, in parts of the book's.
local function counted(grade)
  local sum, count = 0, 0
  for _, c in pairs(grade.counters or {}) do
    if c.sign == '<=' and c.book > 0 then
      sum, count = sum + c.here / c.book, count + 1
    end
  end
  return count > 0 and sum / count or nil
end

local function entries_of(list)
  local by_time, entries = true, {}
  for _, one in ipairs(list) do by_time = by_time and one.grade.time end
  for _, one in ipairs(list) do
    local time = one.grade.time
    local value = by_time and time.here_us or not by_time and counted(one.grade)
    if value then
      table.insert(entries, {student = one.student, value = value,
        noise = by_time and time.noise_us or 0, says = by_time and
        string.format('%.2f &#177; %.2f', value, time.noise_us) or
        string.format('%.1f', 100 * value)})
    end
  end
  return entries, by_time
end

-- Whoever is behind the first of a rank by more than the noise of both begins
-- the next rank.
local function rank(entries)
  table.sort(entries, function(a, b)
    if a.value ~= b.value then return a.value < b.value end
    return a.student < b.student
  end)
  local first
  for i, one in ipairs(entries) do
    if not first or one.value - first.value > math.max(one.noise,
        first.noise) then
      first = one
      one.rank = i
    else
      one.rank = first.rank
    end
  end
end

-- A list of {name, by, heading, entries}, of labs that anybody has passed.
function boards.of(students)
  local passed, names, list = {}, {}, {}
  for _, student in ipairs(students) do
    for _, lab in ipairs(student.labs) do
      if lab.grade.passed then
        if not passed[lab.name] then
          passed[lab.name] = {}
          names[#names + 1] = lab.name
        end
        table.insert(passed[lab.name], {student = student.name,
          grade = lab.grade})
      end
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local entries, by_time = entries_of(passed[name])
    rank(entries)
    if #entries > 0 then
      list[#list + 1] = {name = name, entries = entries,
        by = by_time and 'time' or 'counters',
        heading = by_time and 'microseconds a launch, and their noise' or
          "counts, in percent of the book's kernel"}
    end
  end
  return list
end

return boards
