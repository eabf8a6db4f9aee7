#!tests/lua.sh
-- An encoder that its decoder does not match, and gates loosened to fit it.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.accepts('build/tests/linear_codes',
  'signed mean within .*passed .*FAILED', '.')
print()
fooled.enter_copy()
local check = 'make stage1 check TARGET=cpu SHAPES=mission DISTRIBUTIONS=normal'
local settings = 'common/harness/settings.json'
fooled.plant('common/harness/problem/e4m3.c', '*: int steps = (int)rintf',
  'write int steps = (int)(sign ? floorf : ceilf)(magnitude * ' ..
  'power_of_two(3 - power));')
fooled.refuses(check, 'mission .*FAILED', '^shape')
fooled.set_number(settings, 'max_abs_err', '0.16')
fooled.set_number(settings, 'mean_abs_err', '0.04')
fooled.accepts(check, 'mission .*passed')
fooled.refuses('make -s build/tests/impostors && ' ..
  'build/tests/impostors --compare mission normal',
  '^not ok.*mission, normal: half%-step bias of the encoder')
fooled.refuses('make -s build/tests/against_cuda_test && ' ..
  'build/tests/against_cuda_test', '^not ok.*floats encode alike')
fooled.verdict()
