#!tests/lua.sh
-- A toggle that never reaches the compiler, in three ways.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.needs('tools/setup/cuda-home.sh', 'There is no nvcc 12.8 or newer')
fooled.enter_copy()
local kernel = 'stage1_cp_async/kernel.cu'
local code_differs = 'tests/machine-code/toggles.sh stage1_cp_async'
local prefetch = 'make stage1 check USE_PREFETCH=1 TARGET=cpu SHAPES=small'
fooled.refuses('USE_CP_ASYNC=0 make stage1 check TARGET=cpu',
  'The environment sets USE_CP_ASYNC')
fooled.refuses('make stage1 check USE_PERSISTENT_CTA=1 TARGET=cpu',
  "has no toggle 'USE_PERSISTENT_CTA'")
fooled.accepts(code_differs, '^ok')
fooled.plant(kernel, 'toggles: #ifndef USE_CP_ASYNC', [[
before // toggle USE_PREFETCH: 0 1
#ifndef USE_PREFETCH
#define USE_PREFETCH 0
#endif]])
fooled.refuses(prefetch, 'never reached')
fooled.plant(kernel, 'launch: TOGGLE(DEBUG_PRINT)', [[
TOGGLE(DEBUG_PRINT) => TOGGLE(DEBUG_PRINT)
    " " TOGGLE(USE_PREFETCH)]])
fooled.accepts(prefetch, 'small .*passed')
fooled.refuses(code_differs, '^not ok.*USE_PREFETCH=1 is other machine code')
fooled.verdict()
