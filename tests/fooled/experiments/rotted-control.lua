#!tests/lua.sh
-- A change for the new arm that breaks the old one, the control.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.enter_copy()
local control = ' USE_FUSED_SOFTMAX=0 TARGET=cpu SHAPES=odd'
fooled.accepts('make stage3 race' .. control, 'odd: 0 findings')
fooled.plant('stage3_fused_softmax/kernel.cu',
  'unfused-softmax: 1st __syncthreads', 'remove')
fooled.accepts('make stage3 check TARGET=cpu SHAPES=odd', 'odd .*passed')
fooled.accepts('make stage3 race TARGET=cpu SHAPES=odd', 'odd: 0 findings')
fooled.refuses('make stage3 check' .. control, 'odd .*FAILED')
fooled.most = 4
fooled.refuses('make stage3 race' .. control, '^race: ', 'odd: ', '  here',
  '  there')
fooled.verdict()
