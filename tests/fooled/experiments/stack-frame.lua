#!tests/lua.sh
-- An array that does not fit into registers: no spill, and a stack frame.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.needs('tools/setup/cuda-home.sh', 'There is no nvcc 12.8 or newer')
fooled.enter_copy()
local kernel, resources = 'stage0_scalar/kernel.cu', 'make stage0 resources'
fooled.accepts(resources, 'default sm_90a .* 0 +0$', '^kernel')
fooled.plant(kernel, 'softmax-maximum: float s', [[
write float s_row[TILE_N], s[TILE_N / 4], m_new = m;
const int count = keys < TILE_N ? keys : TILE_N;
for (int n = 0; n < count; n++) s_row[n] = tile_p[row][n] * score_scale;]])
fooled.plant(kernel, 'softmax-maximum: s[i] =',
  'tile_p[row][key] * score_scale => s_row[key]')
fooled.refuses(resources, 'default sm_90a .*over budget: stack_bytes=0',
  '^kernel')
fooled.verdict()
