#!tests/lua.sh
-- Mistakes in the kernel that makes codes and scales: each is seen by
-- tests/library/quantise_test.c, as a race, as a wrong code, or because the
-- kernel never ends.
-- takes: 150 s
local test = dofile 'tests/lib.lua'
local kernel = 'libfp8attention/quantise.cu'
local program = 'build/tests/library/gcc/quantise_test'
local build = 'make LOCKED=1 ' .. program
test.enter_copy 'sources'
test.environment.CMOCKA_MESSAGE_OUTPUT = 'TAP'
test.must(build .. ' && ' .. program)

local whole = test.read(kernel)
for _, case in ipairs {
  -- What threads of a block tell each other.
  {'no barrier between what the clerk wants and what is done',
    '    __syncthreads();\n    const command to', '    const command to',
    'not ok'},
  {'orders of one round are written over those of the last',
    's.to[round % 2] = to;', 's.to[0] = to;', 'not ok'},
  {'largest values of one round are written over those of the last',
    's.largest[round % 2][threadIdx.x / 32]', 's.largest[0][threadIdx.x / 32]',
    'not ok'},
  {'places are as few as slots', 'PLACES = SLOTS + 2', 'PLACES = SLOTS - 1',
    'not ok'},
  {'no place is left for the fetcher', 'PLACES = SLOTS + 2',
    'PLACES = SLOTS + 1', 'race'},
  {'the fetcher fills the place of this round',
    'if (item < a.items) s.place[number %',
    'if (item < a.items) s.place[(number - 1) %', 'not ok'},
  {'the item of the next round is written over that of this one',
    's.next[round % 2] = item;', 's.next[0] = item;', 'not ok'},
  {'the clerk takes the item of the next round', 'next = s.next[round % 2];',
    'next = s.next[(round + 1) % 2];', 'not ok'},
  {'the chain of what was left is read before it is written',
    '  __syncwarp(); // it may', '  // it may', 'race'},
  -- Copies and slots.
  {'an item is looked at a round before its copies have landed',
    '__pipeline_wait_prior(AHEAD - 1)', '__pipeline_wait_prior(AHEAD)',
    'not ok'},
  {'a round without a copy commits none',
    '  __pipeline_commit(); // of', '  if (to.take) __pipeline_commit(); // of',
    'not ok'},
  {'an item that waits is written over',
    'number % SLOTS * (QUANTISE_ITEM', 'number % (SLOTS - 2) * (QUANTISE_ITEM',
    'not ok'},
  {'one more is kept than there is room for', 'SLOTS - AHEAD - 1; // after',
    'SLOTS - AHEAD + 1; // after', 'not ok'},
  {'what was left is taken where no slot is free',
    ' || w.taken - w.encoded == SLOTS', '', 'not ok'},
  {'a load behind the last row', '    if (has_chunk(p, s))\n      __pipeline',
    '    if (true)\n      __pipeline', 'not ok'},
  -- Whose scale it is, and when it is known.
  {'all parts write the scale', 'part == 0 ? t.scale + of_all : nullptr',
    't.scale + of_all', 'race'},
  {'a head is encoded before all of it was looked at',
    'part < oldest.parts ? words[part] : LOOKED',
    'part < 1 ? words[part] : LOOKED', 'is '},
  {'one word of each lane is enough', 'all &= c.words[i];',
    'all &= c.words[0];', 'is '},
  {'a head has no more items than are asked for at once',
    'return c.seen >= oldest.parts;', 'return true;', 'is '},
  {'the largest of the first words is forgotten',
    'c.largest = max(c.largest, __reduce', 'c.largest = max(0u, __reduce',
    'is '},
  {'the largest of one head is carried into the next',
    'c.seen = c.largest = 0;', 'c.seen = 0;', 'is '},
  {'words of one head are counted for the next',
    'c.seen = c.largest = 0;', 'c.largest = 0;', 'is '},
  {'all kept items are of one head',
    'PLACES].first == c.head)', 'PLACES].parts > 0)', 'is '},
  {'the largest of one warp is that of all',
    'lane() < WORKER_WARPS ?', 'lane() < 1 ?', 'is '},
  {'an item that was left is forgotten', '    c.left = oldest.item;\n', '',
    'not ok'},
  -- Arithmetic.
  {'infinities count', 'largest >= infinity)', 'largest > 0x7fff)', 'is '},
  {'numbers below infinity do not count', 'size < infinity ? size : 0',
    'size < infinity ? 0 : 0', 'is '},
  {'upper halves do not count', 'largest.upper >> 16, largest.lower',
    '0u, largest.lower', 'is '},
  {'lower halves do not count', 'largest.upper >> 16, largest.lower',
    'largest.upper >> 16, 0u', 'is '},
  {'the quotient is the product with the inverse',
    'return fmaf(-over, by.inverse, near)', 'return near', 'is '},
  {'zeros lose their sign', [[
  const float over = fmaf(near, by.scale, -x);
  return fmaf(-over, by.inverse, near);]], [[
  const float over = fmaf(-near, by.scale, x);
  return fmaf(over, by.inverse, near);]], 'is '},
  {'no division where the inverse is too large', 'by.scale > 0x1p-60f',
    'by.scale > 0.0f', 'is '},
  {'codes behind the last row', [[
    if (has_chunk(p, s))
      *reinterpret]], [[
    if (true)
      *reinterpret]], 'not ok'},
  {'the next sweep begins a row too far', '(WORKERS >> p.shift)',
    '(WORKERS / 8)', 'not ok'},
  {'the strides of codes are those of values', 'head * t.to.head',
    'head * t.from.head', 'not ok'},
  {'bf16 is read as fp16', 'if (!p.bf16)', 'if (true)', 'is '},
} do
  local name, old, new, text = table.unpack(case)
  test.edit(kernel, old, new)
  test.must(build)
  local said, code = test.sh('timeout 60 ' .. program)
  test.ok(code ~= 0 and (code == 124 or test.has(said, text)),
          'seen: ' .. name, said)
  test.write(kernel, whole)
end
test.finish()
