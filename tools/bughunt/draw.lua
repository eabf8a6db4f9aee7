-- Which hunt belongs to a seed, a stage and a level: the same one on every
-- machine that has the same tree.
local files = dofile 'tools/labs/files.lua'
local generator = dofile 'tools/labs/random.lua'
local mistakes = dofile 'tools/bughunt/mistakes.lua'
local programs = dofile 'tools/labs/programs.lua'
local folder_of = dofile 'tools/source/folder.lua'
local stop = files.stop
local draw = {}

local LEVELS = 3

local function stages()
  local list = {}
  for name in programs.answer 'tools/source/ladder.sh':gmatch '[^\n]+' do
    list[#list + 1] = name
  end
  return list
end

-- stage3_fused_softmax, stage3 or 3: its whole name.
local function stage_of(word)
  for _, name in ipairs(stages()) do
    if word == name or word == name:match '^[^_]+' or
        word == name:match '^stage(%d+)' then
      return name
    end
  end
  stop("There is no stage '%s'; a hunt is in one of 0 to %s.", word,
    #stages() - 1)
end

local function number_of(name, word, most)
  local number = word:find '^%d%d?%d?%d?%d?%d?%d?%d?%d?$' and
    math.tointeger(tonumber(word))
  if not number or most and (number < 1 or number > most) then
    stop("%s is a number%s, not '%s'.", name,
      most and ' from 1 to ' .. most or '', word)
  end
  return number
end

-- What was asked for, in words of its own: {seed, level, stage or nil}.
function draw.asked(seed, stage, level)
  return {seed = number_of('SEED', seed),
    level = level == '' and 1 or number_of('LEVEL', level, LEVELS),
    stage = stage ~= '' and stage_of(stage) or nil}
end

-- The mistake of a hunt, with the stage's text and its own. A stage that was
-- not asked for is drawn as well.
function draw.hunt(asked)
  local next_number = generator(asked.seed * LEVELS + asked.level)
  local which = asked.stage and {asked.stage} or stages()
  while #which > 0 do
    local stage = table.remove(which, next_number(#which) + 1)
    local book = files.read(folder_of(stage) .. '/kernel.cu')
    local list = mistakes.of(stage, asked.level)
    while #list > 0 do
      local one = table.remove(list, next_number(#list) + 1)
      if mistakes.planted(one, book) then
        one.seed, one.level, one.stage = asked.seed, asked.level, stage
        return one
      end
    end
  end
  stop('%s has no hunt of level %d.', asked.stage or 'The ladder', asked.level)
end

return draw
