#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- bughunt.lua VERB: a stage's kernel with one mistake, in MINE/bughunt.
--   lay-out   puts it there, never over anything, and says the symptoms
--   grade     is the mistake gone, all else as it was, and named?
--   hint      the region, then the kind
--   solution  how the book's differs from what is there, after an attempt
--   reset     the kernel with its mistake again; what was there is kept
-- In the environment: SEED, STAGE and LEVEL, which say which hunt it is.
local draw = dofile 'tools/bughunt/draw.lua'
local files = dofile 'tools/labs/files.lua'
local sentence = dofile 'tools/bughunt/sentence.lua'
local folder = dofile('tools/labs/folder.lua').of('bughunt',
  'kernel as laid out', 'kernel.cu')
local path, kernel = folder.path, folder.kernel
local note = path .. '/hunt' -- which hunt it is
local stop = files.stop

local function asked_here()
  local seed, stage, level = os.getenv 'SEED' or '', os.getenv 'STAGE' or '',
    os.getenv 'LEVEL' or ''
  if seed == '' then
    if stage .. level == '' then return end
    stop("A hunt needs a number as well: 'make bughunt SEED=7'.")
  end
  return draw.asked(seed, stage, level)
end

-- The hunt that lies there; nil where there is none.
local function noted()
  local text = files.read(note)
  if not text then return end
  local seed, stage, level =
    text:match '^SEED=(%d+)\nSTAGE=([%w_]+)\nLEVEL=(%d)\n$'
  local fine, hunt = pcall(draw.asked, seed or '', stage or '', level or '')
  if not fine or not seed then
    stop("%s does not say any more which hunt this is: put it back, or " ..
      "remove it and type 'make bughunt SEED=...' as before.", note)
  end
  return hunt
end

local function called(hunt)
  return string.format('SEED=%d STAGE=%s LEVEL=%d', hunt.seed,
    hunt.stage:match '%d+', hunt.level)
end

local function there()
  local hunt = noted()
  if not hunt and files.read(kernel) then
    stop("%s is gone, so nobody knows which hunt this is: type 'make " ..
      "bughunt SEED=...' as before, and your kernel.cu is left alone.", note)
  end
  return hunt or stop("There is no hunt in %s yet: 'make bughunt SEED=7' " ..
    'lays one out.', path)
end

-- The hunt in the folder, which is the one that was asked for if any was.
local function present()
  local hunt, asked = there(), asked_here()
  if asked and (asked.seed ~= hunt.seed or asked.level ~= hunt.level or
      asked.stage and asked.stage ~= hunt.stage) then
    stop('%s holds another hunt, %s: one at a time. Rename that folder, or ' ..
      'lay the new one out in another with MINE=folder.', path, called(hunt))
  end
  return draw.hunt(hunt)
end

local function task(hunt)
  print(string.format('bughunt %s\n%s is %s with one mistake in it.',
    called(hunt), kernel, hunt.stage))
  print 'What the tools say of it:'
  io.write(files.read(path .. '/symptoms') or
    '  nothing was kept: make bughunt check, race and count say it\n')
  print('\nFind it with make bughunt check, race, count and resources; mend ' ..
    'it in kernel.cu,\nand change nothing else.')
  io.write(sentence.rules(path .. '/found.txt'))
  print('Then: make bughunt grade. Stuck: make bughunt hint.')
end

local verbs = {}

local function lay_out(hunt)
  files.write(note, string.format('SEED=%d\nSTAGE=%s\nLEVEL=%d\n', hunt.seed,
    hunt.stage, hunt.level))
  if files.read(kernel) then
    print(kernel .. ' is there already, and was left alone.\n')
  else
    files.write(kernel, hunt.text)
    files.write(path .. '/symptoms',
      dofile('tools/bughunt/symptoms.lua').of(hunt))
  end
  task(hunt)
end

verbs['lay-out'] = function()
  if noted() then return lay_out(present()) end
  local asked = asked_here() or there()
  lay_out(draw.hunt(asked))
end

function verbs.grade()
  local hunt = present()
  return dofile 'tools/bughunt/grade.lua' (hunt, folder).hand_in()
end

function verbs.hint()
  local hunt = present()
  folder.hint {
    string.format('It is in the region %s.\n', hunt.region),
    string.format('It is about %s; in the region %s.\n', hunt.kind.hint,
      hunt.region)}
end

function verbs.solution() folder.solution(present().book) end
function verbs.reset() folder.reset(present().text) end

files.main(verbs[arg[1]])
