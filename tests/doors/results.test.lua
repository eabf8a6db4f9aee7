#!tests/lua.sh
-- Results that are cut off, absurd or of wrong types: each reader names the
-- file and the key in a sentence, and believes nothing of it.
-- takes: 20 s
local test = dofile 'tests/lib.lua'
test.environment.PYTHONDONTWRITEBYTECODE = '1'
local tools = test.folder .. '/build/tools/'
test.enter_copy 'sources'
local results = test.read 'chapters/book.yaml':match '\nresults: (%S+)' .. '/'
local DEEP = ('['):rep(200000)

-- NAME, edits of a text, and what is to be said behind the file's name.
local function perf(event)
  return [[{"build_meta": {"schema_version": 1, "stage": "stage0_one",
    "arm": "default", "device": {"name": "A"}},
    "correctness": {"all_passed": true}, "perf": {"mission": {
    "shape": [1, 8, 512, 64], "event": ]] .. event .. '}}}'
end
local good = perf '{"p50_us": 20.0, "noise_us": 0.5, "samples_us": [20, 20]}'
local deep = good:gsub('%[20, 20%]', DEEP)
local bad = {
  {'cut off', good:sub(1, -30), ' is not valid JSON: line 4'},
  {'200,000 brackets', DEEP, ' is not valid JSON: line 1'},
  {'brackets in a result', deep, ' is not valid JSON: line 4'},
  {'a negative time', perf '{"p50_us": -20.0, "noise_us": 0.5}',
    ': perf/mission/event/p50_us is -20, and must be a number above 0'},
  {'a time of nothing', perf '{"p50_us": 0, "noise_us": 0.5}',
    ': perf/mission/event/p50_us is 0, and must be a number above 0'},
  {'a time in words', perf '{"p50_us": "20", "noise_us": 0.5}',
    ': perf/mission/event/p50_us is a text, and must be a number above 0'},
  {'negative noise', perf '{"p50_us": 20, "noise_us": -0.5}',
    ': perf/mission/event/noise_us is -0.5, and must be a number of 0 or more'},
  {'a sample of another type',
    perf '{"p50_us": 20, "noise_us": 1, "samples_us": [1, {}]}',
    ': perf/mission/event/samples_us/1 is an object, and must be a number of'},
}
local shapes = {
  {'no time', perf '{"noise_us": 0.5}', ' has no perf/mission/event/p50_us'},
  {'timings that are a list', perf '[1]', ' has no perf/mission/event/p50_us'},
  {'perf that is a list', (good:gsub('"perf": {', '"perf": [], "x": {')),
    ': perf is an array, and must be an object'},
  {'a device that is a number', (good:gsub('"A"', '7')),
    ': build_meta/device/name is 7, and must be a text'},
  {'a folder', nil, 'Cannot read'},
}

local function no_trace(said)
  return not said:find 'raceback' and not said:find '%.lua:%d' and
    not said:find 'Error:'
end

-- One line, this exit code, this text; and nothing like a number or a table.
local function refused(name, code, text, script, ...)
  local said, got = test.sh(script, ...)
  test.ok(got == code and said:find(text, 1, true) and no_trace(said) and
    #test.lines(said) == 1, name, said .. '\nexit code ' .. got)
end

-- ---- compare, and floor-show, which read by the same function ----

test.write('good.json', good)
for _, list in ipairs {bad, shapes} do
  for _, one in ipairs(list) do
    test.sh 'rm -rf bad.json'
    if one[2] then test.write('bad.json', one[2]) end
    if not one[2] then test.must 'mkdir bad.json' end
    local text = one[2] and 'bad.json' .. one[3] or one[3]
    refused('compare: ' .. one[1], 2, text, '"$@"', tools .. 'compare',
      'good.json', 'bad.json')
    if list == bad then
      refused('  floor-show', 1, text, '"$@"', tools .. 'floor-show',
        'bad.json')
    end
  end
end
test.ends('what is right is compared', 0, 'no difference', '"$@"',
  tools .. 'compare', 'good.json', 'good.json')

-- ---- readme ----

local before = test.read 'README.md'
local function readme(name, path, from, to, text, times)
  local whole = test.read(path)
  test.write(path, from and (whole:gsub(from, to, times or 1)) or to)
  refused('readme: ' .. name, 2, path .. text,
    'tools/setup/pandoc.sh lua tools/readme/readme.lua')
  test.write(path, whole)
end
local stage = results .. 'stage0_scalar.json'
local peers = results .. assert(test.read 'tools/readme/readme.lua'
  :match "result_of '([^']*peers)'") .. '.json'
readme('cut off', stage, nil, '{"perf": ', ' is not valid JSON: line 1: a val')
readme('200,000 brackets', peers, nil, DEEP,
  ' is not valid JSON: line 1: brackets more than 500 deep')
readme('a negative time', stage, '"p50_us": ', '"p50_us": -',
  ': perf/small/event/p50_us is -')
readme('a time in words', stage, '"p50_us": [%d.]+', '"p50_us": "1"',
  ': perf/small/event/p50_us is a text, and must be a number above 0')
readme('no device', stage, '"device"', '"gadget"', ': it has no build_meta/dev')
readme('perf that is a list', stage, '"perf": {', '"perf": [], "x": {',
  ': it has no perf/mission/graph/p50_us')
readme('a rate in words', peers, '"tflops": [%d.]+', '"tflops": "1"',
  ': peers/large/contenders/', 1000)
readme('a list', peers, nil, '[]', ': it has no peers/')
test.ok(test.read 'README.md' == before, 'README.md is as it was')

-- ---- peers ----

local whole = test.read(peers)
local function show(name, from, to, text)
  test.write('peers.json', from and (whole:gsub(from, to, 1)) or to)
  refused('peers: ' .. name, 1, 'peers.json' .. text,
    'python3 tools/peers/peers.py show peers.json')
end
show('cut off', nil, whole:sub(1, 2000), ' is not valid JSON: line ')
show('200,000 brackets', nil, DEEP, ' is not valid JSON: ')
show('a list', nil, '[]', ': it has no build_meta')
show('a negative time', '"p50_us": ', '"p50_us": -',
  ': peers/small/contenders/stage0_scalar/event/p50_us is -')
show('a time that is no number', '"p50_us": [%d.]+', '"p50_us": NaN',
  ' is not valid JSON: NaN')
show('a time in words', '"p50_us": [%d.]+', '"p50_us": "1"',
  ': peers/small/contenders/stage0_scalar/event/p50_us is a text, and must be')
show('no PyTorch', '"torch":', '"touch":', ': it has no build_meta/torch')
show('a version that is a list', '"cudnn": %d+', '"cudnn": []',
  ': build_meta/cudnn is an array, and must be a number')
show('contenders that are a text', '"contenders": {(%s*"stage0)',
  '"contenders": "", "x": {%1',
  ': peers/small/contenders is a text, and must be an object')
show('no shape', '"shape": %[', '"form": [', ': it has no peers/')
show('clocks that are a number', '"clocks": {', '"clocks": 7, "x": {',
  ': peers/small/clocks is 7, and must be an object')
test.write('peers.json', whole)
test.ends('what is right is shown', 0, 'torch_flash',
  'python3 tools/peers/peers.py show peers.json')

-- ---- the drawing of a timeline ----

whole = test.read(results .. 'stage2_wmma_pv.timeline.json')
local function draw(name, from, to, text)
  test.write('timeline.json', from and (whole:gsub(from, to)) or to)
  refused('draw: ' .. name, 1, 'timeline.json' .. text,
    'tools/timeline/draw.lua timeline.json drawn.svg')
end
draw('cut off', nil, whole:sub(1, 2000), ' is not valid JSON: ')
draw('200,000 brackets', nil, DEEP, ' is not valid JSON: brackets more than')
draw('a stage that is a number', '"stage": ".-"', '"stage": 3',
  ': build_meta/stage is 3, and must be a text')
draw('no drawing', '"drawing"', '"picture"',
  ': it has no timeline/mission/drawing')
draw('visits in words', '"visits": %[.-%]', '"visits": "none"',
  ': timeline/mission/drawing is not what can be drawn')
test.ok(not test.read 'drawn.svg', '  and nothing is drawn')
test.write('timeline.json', (whole:gsub('"is_gpu": true', '"is_gpu": false')))
test.ends('what is right is drawn', 0, 'steps from step',
  'tools/timeline/draw.lua timeline.json drawn.svg && cat drawn.svg')

-- ---- the book ----

local sample = 'sample/results/test-device/2026-01-02/'
local function book(name, file, from, to, ...)
  test.must 'rm -rf sample; cp -R tests/book/sample sample'
  local text = test.read(sample .. file)
  test.write(sample .. file, from and (text:gsub(from, to, 1)) or to)
  local said, code = test.sh(
    'BOOK_FORMATS=html exec book/build.sh sample sample/html')
  local fine = code == 1 and no_trace(said) and said:find 'is not built'
  for _, wanted in ipairs {...} do
    fine = fine and said:find(wanted, 1, true)
  end
  test.ok(fine, 'book: ' .. name, said)
end
local path = 'results/test-device/2026-01-02/'
book('200,000 brackets', 'gates.json', nil, DEEP, path ..
  'gates.json:1: not valid JSON: brackets more than 500 deep')
book('a negative time', 'stage0_first.json', '61.25', '-61.25', path ..
  'stage0_first.json: perf/mission/event/p50_us is -61.25, and must be')
book('a build_meta of numbers', 'peers.json', '"stage1_second": {',
  '"stage1_second": 7, "x": {', path ..
  'peers.json: build_meta/kernels/stage1_second is 7, and must be an object')
book('a stage that is a list', 'floor.json', '"floor"', '["floor"]', path ..
  'floor.json: build_meta/stage is an array, and must be a text')
book('a drawing of numbers', 'stage1_second.timeline.json',
  '"visits": %[".-%]', '"visits": [7]', 'stage1_second.timeline.json: ',
  ' is not what a figure of the kind "timeline" shows')
book('stalls in words', 'stage1_second.ncu.json', '1.5', '"much"',
  'is not what a figure of the kind "stalls" shows')
test.finish()
