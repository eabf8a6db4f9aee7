#!tests/lua.sh
-- A fix that everybody is sure of, and an error that does not move.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.enter_copy()
local gates = 'make stage1 check USE_KV_LUT=1 TARGET=cpu SHAPES=small ' ..
  'DISTRIBUTIONS=normal'
local kernel = 'stage1_cp_async/kernel.cu'
local loop = 'for (int code = threadIdx.x'
local figures = 'seed [01]: finite [^ ]* > 0'
local function failures()
  local found = {}
  for line in fooled.said:gmatch '[^\n]*FAILED[^\n]*' do
    table.insert(found, line)
  end
  return table.concat(found, '\n')
end
fooled.plant(kernel, 'widen: ' .. loop,
  'write if (int code = threadIdx.x; code < 256) {')
fooled.refuses(gates, figures)
local before = failures()
print '\nthe sure fix:'
fooled.plant(kernel, 'softmax-maximum: float s',
  'write float s[TILE_N / 4] = {}, m_new = m;')
fooled.refuses(gates, figures)
if failures() ~= before then fooled.surprise 'the error moved' end
fooled.most = 4
fooled.refuses('make stage1 race USE_KV_LUT=1 TARGET=cpu SHAPES=small',
  '^uninitialised read', 'small: ', '  here', 'table %+')
print '\nthe loop put back, the sure fix left in:'
fooled.plant(kernel, 'widen: if (int code = threadIdx.x',
  'write ' .. loop .. '; code < 256; code += THREADS) {')
fooled.accepts(gates, 'small .*passed')
fooled.verdict()
