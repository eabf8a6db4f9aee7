-- The page of a class, in HTML without a script. Names, words and numbers of
-- students' files are text and nothing else.
local page = {}

-- Without control characters, which a terminal would obey.
function page.clean(text)
  return (tostring(text):gsub('[%z\1-\31\127]', '?'))
end

local function escaped(text)
  return (page.clean(text):gsub('[&<>"\']', {['&'] = '&amp;', ['<'] = '&lt;',
    ['>'] = '&gt;', ['"'] = '&quot;', ["'"] = '&#39;'}))
end

-- A name that is written from right to left stays where it is.
local function name(text) return '<bdi>' .. escaped(text) .. '</bdi>' end

local function row(cells, kind)
  local mark = kind or 'td'
  for i, cell in ipairs(cells) do
    cells[i] = string.format('<%s>%s</%s>', mark, cell, mark)
  end
  return '<tr>' .. table.concat(cells) .. '</tr>\n'
end

local function table_of(heads, rows)
  return '<table>\n' .. row(heads, 'th') .. table.concat(rows) .. '</table>\n'
end

local function machines(students)
  local rows, ready = {}, 0
  for _, student in ipairs(students) do
    local m = student.machine
    ready = ready + (m.ready and 1 or 0)
    local can = table.concat(m.can, ', ')
    if (m.gpu or '') ~= '' then can = can .. ' (' .. m.gpu .. ')' end
    rows[#rows + 1] = row {name(student.name), m.ready and 'ready' or 'not yet',
      m.seconds and string.format('%.2f', m.seconds) or '', escaped(can),
      escaped(m.ready and '' or m.why), escaped(m.ready and '' or m.type)}
  end
  return string.format('<h2>Machines</h2>\n<p>%d of %d are ready, by their ' ..
    'own word. Seconds: one launch of stage 1 on the executor.</p>\n', ready,
    #students) .. table_of({'student', '', 'seconds', 'can', 'why not',
    'types'}, rows)
end

local function verdict(lab)
  local grade = lab.grade
  local text = grade.passed and 'passed' or not grade.attempt and
    'not tried' or 'not passed'
  if lab.claim ~= nil and lab.claim ~= (grade.passed == true) then
    text = text .. string.format(' (his own file says: %s)', lab.claim and
      'passed' or 'not passed')
  end
  return text
end

local function reasons(grade)
  local words = {grade.why and escaped(grade.why) or nil}
  for _, line in ipairs(grade.demands or {}) do
    if line.met == false then
      words[#words + 1] = '<b>' .. escaped(line.demand) .. '</b>: ' ..
        escaped(line.says)
    end
  end
  return table.concat(words, '<br>')
end

local function grades(students, seed)
  local rows, passed = {}, 0
  for _, student in ipairs(students) do
    for _, lab in ipairs(student.labs) do
      passed = passed + (lab.grade.passed and 1 or 0)
      rows[#rows + 1] = row {name(student.name), escaped(lab.name),
        verdict(lab), lab.grade.passed and '' or reasons(lab.grade)}
    end
  end
  return string.format('<h2>Labs</h2>\n<p>%d of %d kernels pass. All were ' ..
    'graded here, with inputs drawn with SEEDS=%d.</p>\n', passed, #rows,
    seed) .. table_of({'student', 'lab', 'grade', 'what is not met'}, rows)
end

local function board(lab)
  local rows = {}
  for _, one in ipairs(lab.entries) do
    rows[#rows + 1] = row {tostring(one.rank), name(one.student), one.says}
  end
  return string.format('<h3>%s, by %s</h3>\n', lab.name, lab.by) ..
    table_of({'rank', 'student', lab.heading}, rows)
end

function page.html(students, boards, seed)
  local parts = {[[<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Roster</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
style-src 'unsafe-inline'"><style>
body { font: 16px/1.4 sans-serif; margin: 2em; max-width: 70em; }
table { border-collapse: collapse; }
td, th { border: 1px solid #999; padding: .2em .5em; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
</style></head><body>
<h1>Roster</h1>
]], machines(students), grades(students, seed)}
  if #boards > 0 then
    parts[#parts + 1] = '<h2>Leaderboard</h2>\n<p>Of kernels that pass. ' ..
      'Whom the noise or equal counts do not part has the same rank.</p>\n'
  end
  for _, lab in ipairs(boards) do parts[#parts + 1] = board(lab) end
  return table.concat(parts) .. '</body></html>\n'
end

return page
