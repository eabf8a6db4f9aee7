#!tests/lua.sh
-- A test that a kernel passes which looks at neither queries nor keys.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.accepts('build/tests/impostors --json build/table.json && ' ..
  'tail -n 5 build/table.json', 'mean_of_v_max_abs_err": 0%.000', 'tolerance')
fooled.accepts('build/tests/impostors mission',
  '^mean of V .* x .* x .* x .* x ', 'max_abs_err', '^softmax')
print()
fooled.enter_copy()
fooled.set_number('common/harness/settings.json', 'rel_rms_ratio', '2000')
fooled.most = 3
fooled.refuses('make -s build/tests/impostors && ' ..
  'build/tests/impostors --compare mission normal',
  '^not ok .*mission, normal: softmax scale', '^not ok .*mission, normal')
fooled.verdict()
