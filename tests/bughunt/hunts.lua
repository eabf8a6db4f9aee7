-- What the tests of hunts do with one: lay it out, change the copy, write a
-- sentence, have both graded.
local draw = dofile 'tools/bughunt/draw.lua'
local hunts = {}

-- A hunt, drawn in the tree, to be laid out in a folder of the copy.
function hunts.of(test, seed, stage, level, mine)
  local hunt = draw.hunt(draw.asked(tostring(seed), stage, tostring(level)))
  mine = mine or string.format('mine/%s-%s-%s', seed, stage, level)
  hunt.folder = mine .. '/bughunt'
  hunt.kernel = hunt.folder .. '/kernel.cu'
  hunt.sentence = string.format(
    'In %s, line %d, something other than the book stands there.', hunt.region,
    hunt.line)

  function hunt.make(words)
    test.environment.MINE = mine
    return test.sh('make bughunt ' .. (words or ''))
  end
  -- The same without make, which takes its time to find out what is here. Only
  -- what is built has to go through make.
  function hunt.verb(words)
    return test.sh(string.format('MINE="$1" %s tools/bughunt/bughunt.lua %s',
      words:match '^(.-)(%S+)$'), mine)
  end
  function hunt.lay_out()
    return hunt.make(string.format('SEED=%s STAGE=%s LEVEL=%s', seed, stage,
      level))
  end

  -- `built` is set where a copy is graded that has to be built.
  -- The demands that are not met in a line, all that is said, the exit code.
  function hunt.grade(text, sentence)
    if text then test.write(hunt.kernel, text) end
    test.write(hunt.folder .. '/found.txt', (sentence or hunt.sentence) .. '\n')
    test.sh('rm -f "$1"/grade.json', hunt.folder)
    local said, code = (hunt.built and hunt.make or hunt.verb) 'grade'
    local grade, not_met = test.json(hunt.folder .. '/grade.json'), {}
    for _, line in ipairs(grade and grade.demands or {}) do
      if line.met == false then not_met[#not_met + 1] = line.demand end
    end
    return table.concat(not_met, ' '), said, code, grade
  end
  return hunt
end

return hunts
