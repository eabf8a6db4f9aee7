-- What differs between labs by the stage that they begin with: a kernel of the
-- ladder, the warm-up, which has no attention, or a program of several ranks,
-- which is what a stage with a stage.mk of its own is.
local files = dofile 'tools/labs/files.lua'
local folder_of = dofile 'tools/source/folder.lua'
local kinds = {}

-- Where an object of the reader's is, and how many constructors gcc gives it.
local function objects(lab, instrumented)
  local object = lab.mine:gsub('%.%w+$', '.o')
  local list = {{path = 'build/cpu/' .. lab.name .. '/default/' .. object,
    constructors = 0}}
  if instrumented then
    list[2] = {path = 'build/instrumented/' .. lab.name .. '/default/' ..
      object, constructors = 1}
  end
  return list
end

-- One kernel. `clean` stands between a shape and what a race check found there;
-- what `book`, an object of it, has and calls, the reader's may have and call.
local function kernel(lab)
  return {
    objects = objects(lab, true), folder = folder_of(lab.stage),
    draw = 'build/tools/draw', launch = {}, verbs = 'check, race, count',
    race = {}, clean = ': ',
  }
end

local function warmup(lab)
  local kind = kernel(lab)
  kind.folder = 'labs/warmup'
  kind.draw = 'build/tools/draw_matrices'
  kind.not_timed = 'the warm-up is not timed'
  return kind
end

-- A C file is the same in both programs. With one rank there is no ring.
local function ring(lab)
  local ranks = os.getenv 'RANKS' or ''
  if ranks == '' then ranks = '3' end
  if not ranks:find '^[2-8]$' then
    files.stop("RANKS is 2 to 8 for a lab, not '%s'.", ranks)
  end
  return {
    objects = objects(lab, lab.mine:find '%.cu$'),
    folder = folder_of(lab.stage),
    draw = 'build/tools/draw',
    launch = {folder_of(lab.stage) .. '/launch.sh', ranks},
    verbs = 'check, race', race = {'--exchange', 'ring'}, clean = ', ring: ',
    not_timed = 'ranks are not timed here', attempt_counts = true,
    book = 'build/cpu/' .. lab.stage .. (lab.mine:find '%.cu$' and
      '/default/kernel.o' or '/objects/' .. lab.file:gsub('%.c$', '.o')),
  }
end

function kinds.of(lab)
  if lab.stage == 'warmup' then return warmup(lab) end
  local is_ring = files.read(folder_of(lab.stage) .. '/stage.mk')
  return (is_ring and ring or kernel)(lab)
end

return kinds
