-- What the tests of labs do with one: lay out its skeleton or its solution,
-- change it, have it graded, and see which demands were not met.
local format = dofile 'tools/labs/format.lua'
local kinds = dofile 'tools/labs/kinds.lua'
local skeleton = dofile 'tools/labs/skeleton.lua'
local labs = {}

function labs.of(test, name)
  local lab = {name = name, parsed = format.read(name)}
  local folder = test.scratch .. '/mine/' .. name
  local kernel = folder .. '/' .. lab.parsed.mine
  test.must('mkdir -p "$1"', folder)
  test.environment.MINE = test.scratch .. '/mine'
  -- What is expected of a wrong solution shall not depend on the draw.
  test.environment.SEEDS = '7'
  lab.kernel, lab.folder = kernel, folder
  lab.on_ranks = #kinds.of(lab.parsed).launch > 0
  lab.solution = skeleton.solution(lab.parsed)
  lab.skeleton = skeleton.of(lab.parsed)

  -- The demands that this text does not meet, in a line, and all that is said.
  function lab.grade(text)
    if text then test.write(kernel, text) end
    test.sh('rm -f "$1"/grade.json', folder)
    local said, code = test.sh('make "$1" grade', name)
    local grade = test.json(folder .. '/grade.json')
    local not_met = {}
    for _, line in ipairs(grade and grade.demands or {}) do
      if line.met == false then table.insert(not_met, line.demand) end
    end
    return table.concat(not_met, ' '), said, code, grade
  end

  -- This text is refused for these demands at least, in these words.
  function lab.refused(what, text, demands, words)
    local not_met, said, code = lab.grade(text)
    local all = code ~= 0
    for demand in (demands:gsub('toggle ', 'toggle+')):gmatch '%S+' do
      all = all and (' ' .. not_met .. ' '):find(' ' .. demand:gsub('+', ' ') ..
        ' ', 1, true)
    end
    test.ok(all, string.format('%s, %s: not met: %s', name, what, demands),
      said)
    test.ok(test.has(said, words), '  and it says: ' .. words, said)
  end

  -- The solution with one edit.
  function lab.edited(place, edit)
    test.write(folder .. '/edited.cu', lab.solution)
    return test.must('build/tests/plant edit "$1" "$2" "$3"',
      folder .. '/edited.cu', place, edit)
  end
  return lab
end

-- Of a lab on ranks: a skip where they cannot be started.
function labs.need_ranks(test, lab)
  if lab.on_ranks and
      select(2, test.sh 'command -v mpicc && command -v mpirun') ~= 0 then
    test.skip(lab.name, 'MPI is not here; setup.sh cluster')
    test.finish()
  end
end

-- The entries of wrong.list for a lab.
function labs.wrong(test, name)
  local list = {}
  for line in test.read 'tests/labs/wrong.list':gmatch '[^\n]+' do
    local fields = {}
    for field in (line .. '|'):gmatch ' *(.-) *|' do
      fields[#fields + 1] = field
    end
    if fields[1] == name and not line:find '^#' then
      list[#list + 1] = {name = fields[2], place = fields[3], edit = fields[4],
        demands = fields[5], words = fields[6]}
    end
  end
  return list
end

return labs
