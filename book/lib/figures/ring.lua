-- A ring of slots that moves: what the producer and the consumers of
-- hopper/mbarrier_ring.cu do, event by event. Each event is a group of class
-- "step"; the slides show one after the other, paper that of class "now".
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

local function text(x, y, class, words)
  return string.format('<text x="%d" y="%d" class="%s" fill="#1f2328" '
    .. 'text-anchor="middle">%s</text>', x, y, class, words)
end

local function box(x, y, width, height, class, fill)
  return string.format('<rect x="%d" y="%d" width="%d" height="%d" class="%s" '
    .. 'fill="%s" stroke="#1f2328"/>', x, y, width, height, class, fill)
end

-- The two mbarriers of a slot: how many of their phases have ended.
local function frame(slots, does, said)
  local parts = { box(10, 96, 130, 70, 'box', '#f6f5f0'),
    text(75, 126, 'label', 'producer'), text(75, 150, 'tick', does.producer),
    box(560, 96, 130, 70, 'box', '#f6f5f0'),
    text(625, 126, 'label', 'consumers'),
    text(625, 150, 'tick', does.consumers),
    text(350, 270, 'label', said) }
  for s = 0, SLOTS - 1 do
    local x, slot = 166 + 126 * s, slots[s]
    parts[#parts + 1] = box(x, 86, 116, 90, slot.state == 'full' and 'bar'
      or 'box', slot.state == 'full' and '#c9d4e3' or '#f6f5f0')
    parts[#parts + 1] = text(x + 58, 112, 'label', 'slot ' .. s)
    parts[#parts + 1] = text(x + 58, 137, 'label', slot.round
      and 'round ' .. slot.round or '')
    parts[#parts + 1] = text(x + 58, 162, 'tick', slot.state)
    for row, name in ipairs { 'full', 'empty' } do
      parts[#parts + 1] = text(x + 58, row == 1 and 50 or 212, 'label',
        string.format('%s[%d]', name, s))
      parts[#parts + 1] = text(x + 58, row == 1 and 72 or 234, 'tick',
        string.format('in phase %d', slot[name]))
    end
  end
  return table.concat(parts, '\n')
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
