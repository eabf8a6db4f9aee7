-- A ring of slots that moves: what the producer and the consumers of
-- hopper/mbarrier_ring.cu do, event by event. Each event is a group of class
-- "step"; the slides show one after the other, paper that of class "now".
local svg = require 'figures.svg'
local ring = {}

local SLOTS, PAPER = 3, 6
local EVENTS = 'load load load land read wait free load land read free load '
  .. 'land read free load land read'
local SAID = {
  load = 'The producer waits for parity %d of empty[%d]%s, and asks for '
    .. 'round %d.',
  land = 'The bytes of round %d have landed: phase %d of full[%d] ends.',
  read = 'The consumers waited for parity %d of full[%d], and read round %d.',
  wait = 'The producer waits for parity %d of empty[%d]: nobody has '
    .. 'arrived yet.',
  free = 'Both consumers have arrived: phase %d of empty[%d] ends.',
}

-- The two mbarriers of a slot: how many of their phases have ended.
local function frame(slots, does, said)
  local picture = svg.new(nil, 15)
  local function text(x, y, class, words)
    picture:text(x, y, class, words, 'middle')
  end
  for index, name in ipairs { 'producer', 'consumers' } do
    local x = 550 * index - 540
    picture:rect('box', x, 96, 130, 70)
    text(x + 65, 126, 'label', name)
    text(x + 65, 150, 'tick', does[name])
  end
  text(350, 270, 'label', said)
  for s = 0, SLOTS - 1 do
    local x, slot = 166 + 126 * s, slots[s]
    local is_full = slot.state == 'full'
    picture:rect(is_full and 'bar' or 'box', x, 86, 116, 90,
      is_full and { fill = '#c9d4e3', stroke = '#1f2328' } or nil)
    text(x + 58, 112, 'label', 'slot ' .. s)
    text(x + 58, 137, 'label', slot.round and 'round ' .. slot.round or '')
    text(x + 58, 162, 'tick', slot.state)
    for row, name in ipairs { 'full', 'empty' } do
      text(x + 58, 162 * row - 112, 'label', string.format('%s[%d]', name, s))
      text(x + 58, 162 * row - 90, 'tick', 'in phase ' .. slot[name])
    end
  end
  return table.concat(picture, '\n')
end

function ring.svg()
  local slots, loaded, landed, read, freed = {}, 0, 0, 0, 0
  for s = 0, SLOTS - 1 do
    slots[s] = { state = 'never used', full = 0, empty = 0 }
  end
  local frames = {}
  local does = { producer = 'round 0', consumers = 'wait for round 0' }
  local function add(kind, ...)
    frames[#frames + 1] = string.format('<g class="step%s">\n%s\n</g>',
      #frames == PAPER - 1 and ' now' or '',
      frame(slots, does, string.format(SAID[kind], ...)))
  end
  for kind in EVENTS:gmatch '%a+' do
    local round = ({ load = loaded, wait = loaded, land = landed, read = read,
      free = freed })[kind]
    local s, use = round % SLOTS, round // SLOTS
    local slot = slots[s]
    if kind == 'load' then
      assert(slot.empty == use, 'nobody has emptied this slot')
      slot.round, slot.state, loaded = round, 'on its way', loaded + 1
      does.producer = 'round ' .. loaded
      add(kind, (use + 1) % 2, s, use == 0 and ', which counts as ended' or '',
        round)
    elseif kind == 'wait' then
      assert(slot.empty < use, 'nothing to wait for')
      does.producer = 'waits'
      add(kind, (use + 1) % 2, s)
    elseif kind == 'land' then
      slot.full, slot.state, landed = use + 1, 'full', landed + 1
      add(kind, round, use, s)
    elseif kind == 'read' then
      assert(slot.full == use + 1, 'this round is not there')
      slot.state, read = 'is read', read + 1
      does.consumers = 'read round ' .. round
      add(kind, use % 2, s, round)
    else
      slot.empty, slot.state, freed = use + 1, 'free', freed + 1
      does.consumers = 'wait for round ' .. freed
      add(kind, use, s)
    end
  end
  return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 290" '
    .. 'font-family="sans-serif" font-size="15">\n'
    .. table.concat(frames, '\n') .. '\n</svg>'
end

return ring
