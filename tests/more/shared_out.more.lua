#!tests/lua.sh
-- How stage 16 shares out its work, with mistakes that leave every wait in
-- place: `race` has nothing to name, so the gates must fail.
-- takes: 30 s
local test = dofile 'tests/lib.lua'
local stage = 'stage16_even_work'
local kernel = stage .. '/kernel.cu'
test.enter_copy()
test.only_stage(stage)
local check = 'make ' .. stage ..
  ' check TARGET=cpu SEEDS=0 DISTRIBUTIONS=normal SHAPES='
local race = 'make ' .. stage .. ' race TARGET=cpu SHAPES='
local shape = '1,2,570,128,causal'
test.ends('the kernel as it is passes', 0, '', check .. shape)
local whole = test.read(kernel)

for _, mistake in ipairs {
  {'one tile too many is skipped', 'warp % 4 * 16 + 63;',
    'warp % 4 * 16 + 63 - TILE_N;'},
  {'the order turns one block too late', 'blocks - 1 - block : block',
    'blocks - block : block'},
  {'the last tiles of keys are left out', '(end_key + SHAPE::TILE_N - 1)',
    'max(end_key, SHAPE::TILE_N)'},
} do
  local name, old, new = table.unpack(mistake)
  test.edit(kernel, old, new)
  test.ends(name .. ', which a gate sees', 2, '1 FAILED', check .. shape)
  test.ends('  and no race', 0, shape .. ': 0 findings', race .. shape)
  test.write(kernel, whole)
end
test.finish()
