#!tests/lua.sh
-- How stage 17 puts sums away between tiles, with mistakes that leave every
-- wait in place: `race` has nothing to name, so the gates must fail.
-- takes: 120 s
local test = dofile 'tests/lib.lua'
local stage = 'stage17_promotion'
local kernel = stage .. '/kernel.cu'
test.enter_copy()
test.only_stage(stage)
local make = 'make ' .. stage .. ' TARGET=cpu PROMOTE_KEYS=512 '
local normal = make .. 'check DISTRIBUTIONS=normal '

-- Whoever puts sums away twice must have begun them again, and kept the first.
-- By their seeds the devices have 2, 8 and 132 multiprocessors: each of the six
-- blocks is chosen, and does so.
test.ends('sums are put away twice, in every block', 0, '', normal ..
  'SHAPES="1,1,2501,64,causal 1,1,2250,128,causal 1,4:2,2250,64,causal"')

local shape = '1,1,1301,64,causal'
local whole = test.read(kernel)
for _, mistake in ipairs {
  {'the weight of what was put away stays where m grows',
    'kept[r] *= rescale[r];', ''},
  {'out goes on where it was put away', '!first_of_chain',
    '(first_of_chain || true)'},
  {'a chain begins one tile late', 'chain = n;\n      }',
    'chain = n + KEY_GROUPS;\n      }'},
  {'what earlier chains put away is written over',
    'add_kept();\n    put_down();', 'put_down();'},
  {'only one of two rows is counted', 'kept[0] = kept[1] = 1.0f',
    'kept[0] = 1.0f'},
  {'what was put away is never fetched', 'kept[1] == 0.0f',
    'kept[1] >= 0.0f'},
} do
  local name, old, new = table.unpack(mistake)
  test.edit(kernel, old, new)
  test.ends(name .. ', which a gate sees', 2, '1 FAILED',
    normal .. 'SEEDS=0 SHAPES=' .. shape)
  test.ends('  and no race', 0, shape .. ': 0 findings',
    make .. 'race SHAPES=' .. shape)
  test.write(kernel, whole)
end
test.finish()
