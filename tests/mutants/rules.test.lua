#!tests/lua.sh
-- Each rule of tools/mutants finds its place in a small kernel and makes the
-- mistake that it names; and what all rules make of the stages.
local test = dofile 'tests/lib.lua'
local mutate = test.folder .. '/build/tools/mutate'
local file = test.scratch .. '/kernel.cu'

local BEFORE = '__global__ void kernel(args a) {\n  '
local BEHIND = '\n}\n'

-- What the rule makes of code in a kernel: a list of texts.
local function made(rule, code, head)
  test.write(file, (head or BEFORE) .. code .. BEHIND)
  local texts = {}
  for line in test.must('"$@"', mutate, 'list', file):gmatch '[^\n]+' do
    local number, name = line:match '^(%d+)|[^|]*|%d+|([^|]*)|'
    if name == rule then
      local text = test.must('"$@"', mutate, 'make', file, number)
      texts[#texts + 1] = text:sub(#(head or BEFORE) + 1, -#BEHIND - 1)
    end
  end
  return texts
end

-- rule, code, and what becomes of it: one text for each mistake.
local sync, load = '__syncthreads();', 'x = tile[1];'
local two = 'for (int i = 0; i < n; i += 4) x[i] = 0.5f;'
local cases = {
  {'barrier-removed', sync, ';'},
  {'barrier-doubled', sync, sync .. '\n  ' .. sync},
  {'barrier-up', load .. '\n  ' .. sync, sync .. '\n  ' .. load},
  {'barrier-up', 'x = y;\n  ' .. sync}, -- past the thread's own numbers
  {'barrier-down', sync .. '\n  ' .. load, load .. '\n  ' .. sync},
  {'wait-removed', 'if (b) mbarrier_wait(k, p);', 'if (b) ;'},
  {'wait-doubled', 'wait_full(0);', 'wait_full(0);\n  wait_full(0);'},
  {'wait-up', load .. '\n  wgmma_wait<0>(o);', 'wgmma_wait<0>(o);\n  ' .. load},
  {'wait-down', '__pipeline_wait_prior(0);\n  ' .. load,
    load .. '\n  __pipeline_wait_prior(0);'},
  {'commit-removed', '__pipeline_commit();', ';'},
  {'commit-doubled', 'wgmma_commit();', 'wgmma_commit();\n  wgmma_commit();'},
  {'commit-up', load .. '\n  wgmma_commit();', 'wgmma_commit();\n  ' .. load},
  {'commit-down', 'wgmma_commit();\n  ' .. load, load .. '\n  wgmma_commit();'},
  {'fence-removed', 'fence_async_proxy();', ';'},
  {'fence-doubled', 'wgmma_fence(s);', 'wgmma_fence(s);\n  wgmma_fence(s);'},
  {'fence-up', load .. '\n  wgmma_fence(s);', 'wgmma_fence(s);\n  ' .. load},
  {'fence-down', 'wgmma_fence(s);\n  ' .. load, load .. '\n  wgmma_fence(s);'},
  {'arrival-removed', 'if (b) mbarrier_arrive(k);', 'if (b) ;'},
  {'arrival-doubled', 'say_full(0);', 'say_full(0);\n  say_full(0);'},
  {'arrival-up', load .. '\n  release(k);', 'release(k);\n  ' .. load},
  {'arrival-down', 'release(k);\n  ' .. load, load .. '\n  release(k);'},
  {'asked-once', 'mbarrier_wait(k, p);', 'mbarrier_try_wait(k, p);'},
  {'groups-left', '__pipeline_wait_prior(N - 1);',
    '__pipeline_wait_prior(N - 1 + 1);'},
  {'products-left', 'wgmma_wait<0>(o);', 'wgmma_wait<0 + 1>(o);'},
  {'id-off', 'named_barrier_sync(1 + f(a, b), 64);',
    'named_barrier_sync(1 + f(a, b) + 1, 64);'},
  {'threads-over', 'named_barrier_arrive(1, 64);',
    'named_barrier_arrive(1, 64 + 32);'},
  {'threads-short', 'named_barrier_sync(1, 64);',
    'named_barrier_sync(1, 64 - 32);'},
  {'count-over', 'mbarrier_init(k + i, 3);', 'mbarrier_init(k + i, 3 + 1);'},
  {'count-short', 'mbarrier_init(k + i, 3);', 'mbarrier_init(k + i, 3 - 1);'},
  {'bytes-over', 'mbarrier_arrive_expecting(k, B);',
    'mbarrier_arrive_expecting(k, B + 16);'},
  {'bytes-short', 'mbarrier_arrive_expecting(k, B);',
    'mbarrier_arrive_expecting(k, B - 16);'},
  {'slot-off', 'mbarrier_arrive(k + n);', 'mbarrier_arrive(k + n + 1);'},
  {'phase-off', 'mbarrier_wait(k, n % 2);', 'mbarrier_wait(k, n % 2 ^ 1);'},
  {'buffer-off', 'const int slot = n; f(raw[slot]);',
    'const int slot = n; f(raw[(slot ? 0 : 1)]);'},
  {'atomic-plain', 'n = atomicAdd(&asked, 1u);',
    'n = (asked += 1u) - 1u;'},
  {'half-a-warp', 'f(ALL_LANES, x);', 'f((ALL_LANES >> 1), x);'},
  {'lane-off', 'y = __shfl_xor_sync(m, x, 1);',
    'y = __shfl_xor_sync(m, x, 1 * 2);'},
  {'statement-left-out', 'x[i] += f(1);', ';'},
  {'statement-left-out', 'if (b) f(1);', 'if (b) ;'},
  {'statement-left-out', 'const float x = 1.0f, *y = x; using a = b;'},
  {'statement-left-out', 'fragment<a, 16> sum; fragment<b> *one = f(1);'},
  {'sum-restarted', 'l[r] += p;', 'l[r] = p;'},
  {'scale-left-out', 'x = s * args.q_scale[h];', 'x = s * 1.0f;'},
  {'scale-left-out', 'const float score_scale = 2.0f;'},
  {'always', 'if (i < n && b) f(1);', 'if (true) f(1);'},
  {'never', 'x = i < n ? 1 : 2;', 'x = false ? 1 : 2;'},
  {'never', 'if (N > 1) f(1);'}, -- the compiler knows
  {'less', 'if (i < n) f<2>(1);', 'if (i <= n) f<2>(1);'},
  {'less-or-equal', 'b = i <= n;', 'b = i < n;'},
  {'greater', 'b = i > n;', 'b = i >= n;'},
  {'greater-or-equal', 'if (i >= n) return;', 'if (i > n) return;'},
  {'equal', 'b = i == n;', 'b = i != n;'},
  {'and', 'b = x && y;', 'b = x || y;'},
  {'or', 'b = x || y;', 'b = x && y;'},
  {'loop-late', two, (two:gsub('i = 0', 'i = 4'))},
  {'loop-short', two, (two:gsub('i < n', 'i < n - 4'))},
  {'loop-long', two, (two:gsub('i < n', 'i <= n'))},
  {'loop-long', (two:gsub('< n', '< N'))},
  {'minus', 'x = -1 - y[-2];', 'x = -1 + y[-2];'},
  {'divisor', 'row = t / 4 * 2;', 'row = t / (2 * 4) * 2;'},
  {'start', 'float m = -INFINITY;', 'float m = 0.0f;'},
  {'largest', 'x = fmaxf(x, y);', 'x = fminf(x, y);'},
  {'array-short', '__shared__ float t[M][N];', '__shared__ float t[M - 1][N];'},
}
local tried = {}
for _, case in ipairs(cases) do
  local rule, code = case[1], case[2]
  tried[rule] = true
  local got = made(rule, code)
  test.ok(#got == #case - 2 and got[1] == case[3],
    rule .. ': ' .. code:gsub('\n%s*', ' '), table.concat(got, '\n'))
end
for rule in test.must('"$@"', mutate, 'rules'):gmatch '[^\n]+' do
  test.ok(tried[rule], rule .. ' has an example here')
end
test.ok(#made('barrier-removed', sync, 'static void host() {\n  ') == 0,
  'what runs on the host stays as it is')
test.ok(#made('barrier-removed', [[
#if SPLIT
  for (int i = begin; i < end; i++) {
#elif TWICE
  for (int i = 0; i < 2; i++) {
#else
  for (int i = 0; i < end; i++) {
#endif
    ]] .. sync .. '\n  }\n}\nvoid host() {\n  ' .. sync) == 1,
  'also behind a kernel in which one loop is opened by each of several arms')
test.ok(#made('barrier-removed', '// ' .. sync) == 0, 'comments do, too')

-- ---- the stages ----

local before, chosen = '', 0
for stage in test.must 'tools/source/ladder.sh':gmatch '[^\n]+' do
  local all = test.lines(test.must('"$@"', mutate, 'list', stage))
  local right, seen = #all > 0, {}
  for i, line in ipairs(all) do
    local number, region, at, _, sentence =
      line:match '^(%d+)|([^|]*)|(%d+)|([%l-]+)|(.+)$'
    right = right and tonumber(number) == i and tonumber(at) and
      not region:find '^launch' and not sentence:find '%%s'
    seen[line] = true
  end
  test.ok(right, stage .. ': mistakes by number, with region, line, rule ' ..
    'and sentence, none in the launch')
  local some = test.lines(test.must('"$1" choose $2 $3', mutate, stage, before))
  for _, line in ipairs(some) do right = right and seen[line] end
  test.ok(right and #some > 20 and #some <= 60,
    stage .. ': of which some are judged, 60 at most', #some)
  before, chosen = stage, chosen + #some
end
test.ok(chosen >= 400, 'together at least 400', chosen)
local short = test.must('"$@"', mutate, 'make', '0', '1')
test.ok(short == test.must('"$@"', mutate, 'make', 'stage0', '1') and
  short ~= test.read 'stage0_scalar/kernel.cu', 'a stage by its number')

-- ---- bad input ----

test.ends('a stage that is not there', 1, "There is no kernel in 'stage99'.",
  '"$@"', mutate, 'list', 'stage99')
test.ends('a number past the last', 1, "and no '9999'.", '"$@"', mutate, 'make',
  'stage0', '9999')
test.ends('a number that is none', 1, "and no '1x'.", '"$@"', mutate, 'make',
  'stage0', '1x')
test.write(file, '//> open\n')
test.ends('a source whose region is not closed', 1, 'which is never closed',
  '"$@"', mutate, 'list', file)
test.ends('no verb', 2, 'usage: mutate rules', '"$@"', mutate)
test.ends('another verb', 2, 'usage: mutate rules', '"$@"', mutate, 'plant',
  '1')
test.finish()
