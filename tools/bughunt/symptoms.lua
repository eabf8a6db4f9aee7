-- What the tools say of the kernel with the mistake, without where it is.
local files = dofile 'tools/labs/files.lua'
local mistakes = dofile 'tools/bughunt/mistakes.lua'
local programs = dofile 'tools/labs/programs.lua'
local symptoms = {}

local SHAPES = {'small', 'odd'}

local function path_of(name)
  return 'build/instrumented/' .. name .. '/default/program'
end

local function build(scratch, names)
  for i, name in ipairs(names) do names[i] = path_of(name) end
  local log = scratch .. '/log'
  local how, code = programs.make(log, '-j2', table.unpack(names))
  if how ~= 'code' or code ~= 0 then
    error({sentence = 'The hunt cannot be built here: ' ..
      programs.complaint(log, ''), code = 3}, 0)
  end
end

-- Runs a verb with the reader's kernel; true where all is well, false, or the
-- words of what ended it.
local function runs(scratch, seconds, verb, ...)
  local how, code = programs.run(scratch .. '/log', seconds,
    path_of 'bughunt', verb, ...)
  if how ~= 'code' then return programs.sentence(how, code) end
  return code == 0
end

local function runs_at(scratch, verb, shape)
  return runs(scratch, programs.seconds, verb, '--shape', shape, '--seeds',
    '0')
end

-- "at odd: 4 findings: race, uninitialised read"
local function findings(text)
  local seen, kinds, first = {}, {}, nil
  for line in text:gmatch '[^\n]+' do
    local shape, count = line:match '^(%S+): (%d+ findings?)%f[^%w]'
    local kind = not shape and line:match '^(%l[%l -]*): '
    if shape and not count:find '^0 ' then
      first = first or shape .. ': ' .. count
    elseif kind and not seen[kind] then
      kinds[#kinds + 1], seen[kind] = kind, true
    end
  end
  return 'race, at ' .. (first or 'these: findings') .. ': ' ..
    table.concat(kinds, ', ')
end

-- The first shape at which the numbers are wrong
local function wrong_numbers(text)
  local shape = ('\n' .. text):match '\n(%S+) [^\n]* FAILED\n'
  return 'check, at ' .. (shape or 'long sums') .. ': wrong numbers'
end

-- What a verb finds at all that it runs by itself: nil where all is well.
-- Small shapes do not lap a ring, or fill a block.
local WORDS = {race = findings, check = wrong_numbers}
function symptoms.anywhere(scratch, verb)
  local fine = runs(scratch, 4 * programs.seconds, verb)
  if fine == true then return end
  return fine and verb .. ', at a longer shape: ' .. fine or
    WORDS[verb](files.read(scratch .. '/log'))
end

local function races(scratch, level)
  local said = {}
  for _, shape in ipairs(SHAPES) do
    local fine = runs_at(scratch, 'race', shape)
    if fine ~= true then
      said[#said + 1] = fine and 'race, at ' .. shape .. ': ' .. fine or
        findings(files.read(scratch .. '/log'))
    end
  end
  if said[1] then return said end
  return {'race: silent at ' .. table.concat(SHAPES, ' and at '),
    level == 1 and symptoms.anywhere(scratch, 'race') or nil}
end

local function numbers(scratch, level)
  local said, fine_at = {}, {}
  for _, shape in ipairs(SHAPES) do
    local fine = runs_at(scratch, 'check', shape)
    if fine == true then
      fine_at[#fine_at + 1] = shape
    else
      said[#said + 1] = 'check, at ' .. shape .. ': ' .. (fine or
        'wrong numbers')
    end
  end
  if level == 2 and not said[1] then
    said[1] = symptoms.anywhere(scratch, 'check')
  end
  if fine_at[1] then
    said[#said + 1] = 'check: passes at ' .. table.concat(fine_at, ' and at ')
  end
  return said
end

local function counters(scratch, name)
  local how, code = programs.run(scratch .. '/log', programs.seconds,
    path_of(name), 'count', '--shape', mistakes.counted, '--json', scratch)
  local text = files.read(scratch .. '/' .. name .. '.count.json')
  if how ~= 'code' or code ~= 0 or not text then
    error({sentence = 'It cannot be counted here: ' ..
      programs.complaint(scratch .. '/log', ''), code = 3}, 0)
  end
  return pandoc.json.decode(text, false).counters[mistakes.counted].total
end

local function slow(scratch, hunt)
  local mine, book = counters(scratch, 'bughunt'), counters(scratch, hunt.stage)
  return {string.format("count, at %s: %s %.0f, and %.0f in the book's kernel",
    mistakes.counted, hunt.counter, mine[hunt.counter], book[hunt.counter])}
end

-- Lines of text. The kernel with the mistake lies in the reader's folder.
function symptoms.of(hunt)
  return files.scratch(function(scratch)
    build(scratch, {'bughunt', hunt.counter and hunt.stage})
    local lines = races(scratch, hunt.level)
    if hunt.level > 1 then
      table.move(numbers(scratch, hunt.level), 1, 8, #lines + 1, lines)
    end
    if hunt.counter then
      table.move(slow(scratch, hunt), 1, 1, #lines + 1, lines)
    end
    return '  ' .. table.concat(lines, '\n  ') .. '\n'
  end)
end

return symptoms
