#!tests/lua.sh
-- A folder for results that cannot be written is noticed before the work; and
-- what a full disk has cut off while building is neither kept nor believed.
-- takes: 20 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
local scratch = test.scratch

-- ---- before the work ----

-- The command ends with 3 and one sentence, and has written nothing.
local function noticed(name, sentence, script, ...)
  local said, code = test.sh(script, ...)
  test.ok(code == 3 and said:find(sentence, 1, true) and
    #test.lines(said) == 1, name, said .. '\nexit code ' .. code)
end

test.must [[make build/tools/tune build/cpu/floor/program \
  build/cpu/stage2_wmma_pv/default/timeline]]
test.must 'mkdir -p taken/stage0_scalar.count.json; : >file'
local count = 'build/instrumented/stage0_scalar/default/program count ' ..
  '--shape small --json '
noticed('count, into a file',
  'Cannot write file/x/stage0_scalar.count.json: Not a directory.',
  count .. 'file/x')
noticed('count, into a folder that cannot be made',
  'Cannot write /proc/x/y/stage0_scalar.count.json: ', count .. '/proc/x/y')
noticed('count, where a folder has that name',
  'Cannot write taken/stage0_scalar.count.json: it is a folder.',
  count .. 'taken')
-- A file may not grow to a page: as on a full disk.
local function full(script)
  return "trap '' XFSZ; ulimit -f 1; " .. script .. ' 2>&1 | cat; exit ' ..
    '${PIPESTATUS[0]}'
end
noticed('count, onto a full disk', 'Cannot write new/folder/stage0_scalar.' ..
  'count.json: File too large.', 'exec bash -c "$1"',
  full(count .. 'new/folder'))
test.ok(not test.read 'new' and test.sh '[ ! -e new ] || echo there' == '',
  '  which leaves no folder behind')
local timeline = 'build/cpu/stage2_wmma_pv/default/timeline --shape small '
noticed('timeline', 'Cannot write file/stage2_wmma_pv.timeline.json: ',
  timeline .. '--json file')
noticed('its traces', 'Cannot write file/stage2_wmma_pv.small.trace.json: ',
  timeline .. '--trace file')
noticed('tune', 'Cannot write file/stage0_scalar.tune.json: ',
  'build/tools/tune cpu stage0_scalar file')
noticed('floor', 'Cannot write file/floor.json: ',
  'build/cpu/floor/program measure --json file')
test.write('torch.py', 'raise SystemExit("the work has begun")')
noticed('peers', 'Cannot write file/peers.json: ',
  'PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 python3 tools/peers/peers.py run ' ..
  'file commit none.so')
local said = test.sh([[PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 \
  python3 tools/peers/peers.py run good/folder commit none.so]])
test.ok(said:find 'the work has begun', '  and elsewhere it begins', said)
said = test.ends('make says so, too', 2, 'Cannot write file/stage0_scalar',
  'make stage0 count SHAPES=small JSON=file')
test.ok(not said:find 'wavefronts', '  and has counted nothing', said)
test.ends('what can be written is', 0, 'wrote new/folder/stage0_scalar.count',
  count .. 'new/folder')

-- ---- while building ----

local object = 'build/cpu/stage0_scalar/default/object.o'
test.must('rm ' .. object)
said = test.ends('no room for a kernel\'s hash', 2, 'mktemp',
  'TMPDIR=/nowhere make LOCKED=1 ' .. object)
test.ok(not test.read(object), '  is no object without one', said)

-- Headers, then objects, then programs have no room.
test.must [[rm -r build/tools build/simt-include/cuda_fp8.hpp \
  build/cpu/stage0_scalar build/cpu/harness/record]]
test.environment.CCACHE_DISABLE = '1'
for _, kilobytes in ipairs {100, 600} do
  said = test.ends('a disk with room for ' .. kilobytes .. ' KiB a file', 2,
    'File too large', 'exec bash -c "$1"', "trap '' XFSZ; ulimit -f " ..
    kilobytes .. '; make stage0 check TARGET=cpu SHAPES=small SEEDS=0')
end
test.environment.CCACHE_DISABLE = nil
test.ends('  with room again all is well', 0, 'passed',
  'make stage0 check TARGET=cpu SHAPES=small SEEDS=0')
-- What gcc leaves of the list of headers, where that has met the end.
local list = 'build/cpu/stage0_scalar/default/driver.d'
local text = test.read(list)
test.write(list, text:sub(1, text:find 'harness' + 3))
test.ends('a list of headers that is cut off is passed over', 0, 'built',
  'make stage0 TARGET=cpu')
test.write(list, text .. 'common/harness/run/sta')
test.ends('  also in its last line', 0, 'built', 'make stage0 TARGET=cpu')
test.finish()
