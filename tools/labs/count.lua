-- What a kernel does at one shape, against what the book's does there in the
-- same run of the grade.
local files = dofile 'tools/labs/files.lua'
local programs = dofile 'tools/labs/programs.lua'
local count = {}

-- 12800 -> "12,800"
local function spelled(n)
  local text = string.format('%d', math.floor(n))
  local times
  repeat text, times = text:gsub('^(%d+)(%d%d%d)', '%1,%2') until times == 0
  return text
end

-- Of ranks: what all of them did together.
local function counters_of_ranks(grade, scratch, name)
  local inputs, result = scratch .. '/counted', scratch .. '/counts.json'
  os.remove(result)
  assert(programs.answer(string.format('%s %s %s/normal/%d/2', grade.kind.draw,
    inputs, grade.lab.count, grade.seed)), 'the inputs could not be drawn')
  local how, code = grade.run(scratch .. '/log', programs.seconds,
    'build/instrumented/' .. name .. '/default/attempt', inputs,
    scratch .. '/ignored', result)
  local text = how == 'code' and code == 0 and files.read(result)
  return text and pandoc.json.decode(text, false)
end

-- The counters of the program of a stage or of a lab; nil where it has none.
local function counters(grade, scratch, name)
  if grade.kind.attempt_counts then
    return counters_of_ranks(grade, scratch, name)
  end
  local how, code = programs.run(scratch .. '/log', programs.seconds,
    'build/instrumented/' .. name .. '/default/program', 'count', '--shape',
    grade.lab.count, '--seeds', grade.seed, '--json', scratch)
  local text = how == 'code' and code == 0 and
    files.read(scratch .. '/' .. name .. '.count.json')
  return text and pandoc.json.decode(text, false).counters[grade.lab.count]
end

-- Bank conflicts by line, and what stands there.
local function conflicts_of(counted)
  local list, texts = {}, {}
  for _, line in ipairs(counted.lines or {}) do
    local conflicts = (line.counters.shared_wavefronts or 0) -
      (line.counters.shared_wavefronts_ideal or 0)
    if conflicts > 0 and not texts[line.file] then
      texts[line.file] = {}
      for text in ((files.read(line.file) or '') .. '\n'):gmatch '(.-)\n' do
        table.insert(texts[line.file], text)
      end
    end
    if conflicts > 0 then
      list[#list + 1] = {line = line.line, conflicts = conflicts,
        text = texts[line.file][line.line] or ''}
    end
  end
  return list
end

-- The line with the most bank conflicts, where that is what was asked. Those
-- that the book's kernel has as well are no fault of the reader's.
function count.worst_line(counted, book, counter)
  if not counter:find 'wavefronts' and counter ~= 'bank_conflicts' then
    return ''
  end
  local of_book = {}
  for _, line in ipairs(conflicts_of(book)) do
    of_book[line.text] = (of_book[line.text] or 0) + line.conflicts
  end
  local worst, most = nil, 0
  for _, line in ipairs(conflicts_of(counted)) do
    local more = line.conflicts - (of_book[line.text] or 0)
    if more > most then worst, most = line, more end
  end
  if not worst then return '' end
  return string.format('; %s conflicts in line %d', spelled(worst.conflicts),
    worst.line)
end

-- Where a demand that is not met is looked up. What runs on ranks has no
-- `count`: there the place is what the reader wrote.
function count.look(lab, kind)
  if kind.attempt_counts then
    return (#lab.empties > 1 and 'the regions ' or 'the region ') ..
      table.concat(lab.empties, ', ') .. ' in ' .. lab.mine
  end
  return 'make ' .. lab.name .. ' count SHAPES=' .. lab.count
end

-- What a demand may say. Labs use the first two, hunts the third.
local SIGNS = {
  ['<='] = {words = 'at most', met = function(a, b) return a <= b end},
  ['>='] = {words = 'at least', met = function(a, b) return a >= b end},
  ['=='] = {words = 'must be', met = function(a, b) return a == b end},
}

function count.judge(grade, scratch)
  local mine = counters(grade, scratch, grade.lab.name)
  local look = count.look(grade.lab, grade.kind)
  if not mine then
    return grade.add('counts', false, programs.complaint(scratch .. '/log',
      grade.lab.name), look)
  end
  local book = assert(counters(grade, scratch, grade.lab.stage),
    "the book's kernel could not be counted")
  for _, d in ipairs(grade.lab.demands) do
    local have, of_book = mine.total[d.counter] or 0, book.total[d.counter] or 0
    local limit = of_book * d.factor
    local sign = SIGNS[d.sign]
    grade.json.counters = grade.json.counters or {}
    grade.json.counters[d.counter] = {here = have, book = of_book,
      sign = d.sign}
    local met = sign.met(have, limit)
    grade.add(d.counter, met,
      string.format("%s, %s %s (the book's kernel: %s), at %s%s",
        spelled(have), sign.words, spelled(limit), spelled(of_book),
        grade.lab.count,
        met and '' or count.worst_line(mine, book, d.counter)), look)
  end
end

return count
