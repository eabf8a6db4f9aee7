#!tests/lua.sh
-- Two polynomials for the exponential: theirs, and our own first one.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.enter_copy()
local header = 'common/device/math/fast_exp.cuh'
local ours = fooled.read(header)
local run = 'make -s build/tests/fast_exp && build/tests/fast_exp'
fooled.accepts(run, '^ok .*e%^0 is 1', '^ok', '^not ok')
print '\nfifth degree around 0, arguments cut off at -10:'
local theirs, times = ours:gsub('(float fast_exp%b() {\n).-\n}', [[
%1  x = fmaxf(x, -10.0f);
  return 1 + x * (1 + x * (1 / 2.0f + x * (1 / 6.0f + x * (1 / 24.0f
    + x / 120))));
}]])
assert(times == 1)
fooled.write(header, theirs)
fooled.refuses(run, '^not ok .*relative error', '^ok', '^not ok')
print '\nthe one that we had first:'
fooled.write(header, ours)
fooled.edit(header, '0.05500876f', '0.055838283f')
fooled.edit(header, '0.24221139f', '0.24263948f')
fooled.edit(header, '0.69328302f', '0.69313675f')
fooled.edit(header, 'f + 1.0f', 'f + 0.99992454f')
fooled.refuses(run, '^not ok .*e%^0 is 1', '^ok', '^not ok')
local check = 'make stage5 check USE_FAST_EXP=1 TARGET=cpu ' ..
  'DISTRIBUTIONS=normal SHAPES='
fooled.accepts(check .. 'mission SEEDS=0', 'mission .*passed', '^shape')
fooled.refuses(check .. '1,1,2048,64 SEEDS=0', '1,1,2048,64 .*FAILED')
fooled.verdict()
