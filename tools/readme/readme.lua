#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- Writes the measured parts of README.md, and its drawings in results/, from
-- the results that the book cites:  readme.lua [--check]
-- --check writes nothing, and fails (1) if a file would change. Exit code 2: a
-- result cannot be read, or a figure is missing there.
package.path = 'book/lib/?.lua;' .. package.path
local bars = require 'figures.bars'
local kernels = require 'data.kernels'
local results = require 'data.results'

local read = require('common.files').text

local function stop(pattern, ...)
  io.stderr:write(pattern:format(...), '\n')
  os.exit(2)
end

local folder = (read('chapters/book.yaml') or ''):match('\nresults: (%S+)') or
  stop 'chapters/book.yaml names no folder of results.'

-- A result as {path, data}, or nil where there is none. at: its folder.
local function result_of(name, at)
  local path = (at or folder) .. '/' .. name .. '.json'
  local data, wrong, line = results.read(path)
  if wrong then stop('%s%s: %s.', path, line and ':' .. line or '', wrong) end
  return data and { path = path, data = data }
end

local function value_of(result, path, wanted)
  local value, wrong = results.at(result.data, path, wanted)
  return value or stop('%s: %s.', result.path, wrong)
end

local function number(result, path) return value_of(result, path, 'number') end
local function text_of(result, path) return value_of(result, path, 'string') end

-- The stages with a result, in order.
local function stages()
  local list = {}
  for name in io.popen('tools/source/ladder.sh'):lines() do
    local result = result_of(name)
    if result then
      local its = kernels.folder(name)
      list[#list + 1] = { name = name, result = result, folder = its,
        summary = read(its .. '/driver.c'):match('%.summary = "(.-)",\n') }
    end
  end
  return #list > 0 and list or stop('%s holds no result of a stage.', folder)
end

-- In lines of 80 columns at most; a command stays in one.
local function wrapped(text)
  local lines = { '' }
  text = text:gsub('`.-`', function(code) return (code:gsub(' ', '\0')) end)
  for word in text:gmatch '%S+' do
    if #lines[#lines] + #word >= 80 then lines[#lines + 1] = '' end
    lines[#lines] = lines[#lines] .. (lines[#lines] == '' and '' or ' ') .. word
  end
  return (table.concat(lines, '\n'):gsub('\0', ' '))
end

-- CITATION.cff names the repository and, where its pages lie elsewhere than
-- GitHub puts them, their address. While it does not, the links are relative.
local citation = read('CITATION.cff') or ''
local repository = citation:match '\nrepository%-code: (%S+)'
local function links()
  local owner, name = (repository or ''):match '^https://github%.com/(.-)/(.+)$'
  local site = citation:match '\nurl: (%S+)' or
    owner and 'https://' .. owner .. '.github.io/' .. name
  if not site then
    return '[Read it here](chapters/00-preface.md) ·\n' ..
      '[PDF and EPUB of the last release](../../releases/latest)'
  end
  local file = site .. '/' .. read('chapters/book.yaml'):match '\nname: (%S+)'
  return '[Read it online](' .. site .. ') ·\n[PDF](' .. file
    .. '.pdf) ·\n[EPUB](' .. file .. '.epub)'
end

local function commands()
  return '```sh\ngit clone ' .. (repository or 'ADDRESS-OF-THIS-PAGE')
    .. ' attention && cd attention\nmake setup && make stage1 bench'
    .. '   # installs what is missing; gates, then timings\nmake check-all'
    .. '                    # all that can be checked here\n```'
end

-- One finding of a race report that a chapter shows, and what was planted.
local function race()
  local path = 'chapters/output/stage1-planted-wait.txt'
  local finding = (read(path) or '')
    :match '\n(read before the wait[^\n]*\n.-seen %d+ times\n)'
  return finding and '```\n' .. finding .. '```' or
    stop('%s holds no copy that is read before the wait.', path)
end

local function device(list)
  local function meta(key)
    return text_of(list[1].result, 'build_meta/' .. key)
  end
  local compiler = meta 'compiler'
  local release = compiler:match('release ([%d.]+)')
  return string.format('%s, driver for CUDA %s, %s, %s.', meta 'device/name',
    meta 'device/driver', release and 'nvcc ' .. release or compiler,
    meta 'date':sub(1, 10))
end

-- The last stage, the one before it whose sums drift as the libraries' do, and
-- the libraries that were timed, from one run.
local NAMES = results.NAMES
local ORDER = { 'flash_attention_3', 'cudnn_fp8', 'cudnn_fp16', 'torch_flash' }
local FP8 = { flash_attention_3 = true, cudnn_fp8 = true }
local WIDE = '4,16,8192,128'
local BIG = { { 'large', 'D = 64' },
  { '4,16,8192,64,causal', 'D = 64, causal' },
  { WIDE, 'D = 128' }, { WIDE .. ',causal', 'D = 128, causal' },
  { '2,32:8,4096,128,causal', 'D = 128, shared heads' } }

-- Who runs what: a kernel for some GPUs only names their architectures.
local GPUS = { { 'A100', '8.0', '80' }, { 'A10, RTX 30', '8.6', '86' },
  { 'L4, L40S, RTX 40', '8.9', '89' }, { 'H100, H200', '9.0', '90a' },
  { 'B200', '10.0', '100' }, { 'RTX 50', '12.0', '120' } }

-- "0 to 9, 11"
local function ranges(numbers)
  local parts, first = {}, 1
  for i, number in ipairs(numbers) do
    if numbers[i + 1] ~= number + 1 then
      parts[#parts + 1] = first == i and tostring(number) or
        numbers[first] .. ' to ' .. number
      first = i + 1
    end
  end
  return table.concat(parts, ', ')
end

-- Whether a stage is compiled for that architecture.
local function runs_on(stage, architecture)
  local only = read(stage.folder .. '/kernel.cu')
    :match('\n// architectures:([^\n]*)')
  return not only or (only .. ' '):find(' ' .. architecture .. ' ', 1, true)
end

-- The numbers of the stages that run on all of these GPUs, and of the others.
local function numbers_on(gpus, list)
  local runs, others = {}, {}
  for _, stage in ipairs(list) do
    local all = true
    for _, gpu in ipairs(gpus) do all = all and runs_on(stage, gpu[3]) end
    table.insert(all and runs or others, tonumber(stage.name:match('%d+')))
  end
  return runs, others
end

-- What a class with RTX cards of several generations does.
local function class_of(list)
  local cards = {}
  for _, gpu in ipairs(GPUS) do
    if gpu[1]:find 'RTX' then cards[#cards + 1] = gpu end
  end
  local runs, others = numbers_on(cards, list)
  if #others == 0 then return 'A class with RTX cards measures all stages.' end
  return wrapped(string.format('A class with RTX cards measures stages %s on '
    .. 'them, and runs stages %s on the executor, races and counters included: '
    .. '`make stage%d check race count TARGET=cpu`.', ranges(runs),
    ranges(others), others[1]))
end

-- Whether results/ holds a run of each of these: "H100, RTX 30"
local function measured(names)
  for name in names:gmatch '[^,]+' do
    local its = name:match '%S.*':lower():gsub('rtx ', 'geforce-rtx-')
    local path = 'results/nvidia-' .. its
    if not io.popen('ls -d ' .. path .. (its:find 'rtx' and '*' or ' ' .. path
        .. '-*') .. ' 2>/dev/null'):read() then
      return 'never'
    end
  end
  return 'measured'
end

local function gpus_of(list)
  local lines = { class_of(list), '',
    '| GPU | compute capability | stages | run here |', '|---|---|---|---|' }
  for _, gpu in ipairs(GPUS) do
    lines[#lines + 1] = string.format('| %s | %s | %s | %s |', gpu[1], gpu[2],
      ranges((numbers_on({ gpu }, list))), measured(gpu[1]))
  end
  return table.concat(lines, '\n')
end

local list = stages()
local peers = result_of 'peers' or stop('%s/peers.json is missing.', folder)

-- The run with the libraries, as the book's first page has it.
local at, name, LIBRARIES = (read('chapters/front/landing.md') or ''):match(
  '\nlibraries (%S+)/(%S-)%.json:(%S+)')
local beside = at and result_of(name, at) or peers

local function other_libraries()
  return at and value_of(beside, LIBRARIES, 'table')
end

local function figure_of(name, shape, key)
  local place = 'peers/' .. shape .. '/contenders/' .. name
  return number(beside, place .. '/' .. key)
end

-- Does the default arm's stage_support say DRIFTS, without a condition?
local function drifts(stage)
  local its = read(stage.folder .. '/kernel.cu'):match 'stage_support = (%b{})'
  return (its or ''):match ', DRIFTS}$'
end

-- Their names, and how many of them are ours.
local function contenders_of(list)
  local last = list[#list]
  local names = { last.name }
  for i = #list - 1, drifts(last) and #list or 1, -1 do
    if drifts(list[i]) then
      table.insert(names, 1, list[i].name)
      break
    end
  end
  local its = value_of(beside, 'peers/large/contenders', 'table')
  if its.libfp8attention then names[#names + 1] = 'libfp8attention' end
  local ours = #names
  for _, name in ipairs(ORDER) do
    if results.time_of(its[name]) then names[#names + 1] = name end
  end
  return names, ours
end

local function label_of(name)
  return NAMES[name] or name == 'libfp8attention' and 'the library' or
    'stage ' .. name:match '%d+'
end

-- What the libraries and the last stages do at large and at D = 128.
local function peers_of(list)
  local rates, errors = {}, {}
  for index, name in ipairs(contenders_of(list)) do
    rates[index] = string.format('%s %.0f and %.0f', label_of(name),
      figure_of(name, 'large', 'tflops'), figure_of(name, WIDE, 'tflops'))
    if FP8[name] then
      errors[#errors + 1] = string.format('%.3f for %s',
        figure_of(name, 'large', 'rel_rms_offset'), NAMES[name])
    end
  end
  local last = list[#list].name
  local function noise(shape)
    return 100 * number(beside, 'peers/' .. shape .. '/noise_us') /
      figure_of(last, shape, 'graph/p50_us')
  end
  return wrapped(string.format('TFLOP/s at `large` and at D = 128 on an '
      .. '%s, with a noise of %.1f %% and %.1f %%: %s. Where V has a mean '
      .. 'of 4, tensor cores lose bits in long sums: the relative error at '
      .. '`large` is %.3f for stage %s, which prevents that, and %s.',
    value_of(beside, 'build_meta/device/name', 'string'):match '[HB]%d+',
    noise 'large', noise(WIDE), table.concat(rates, ', '),
    figure_of(last, 'large', 'rel_rms_offset'), last:match '%d+',
    table.concat(errors, ' and ')))
end

-- What nobody has tried, as far as results can tell.
local function never()
  return wrapped('Nobody has run this yet on a card that the table above calls '
    .. 'never run, on an aarch64 machine (it is tested under emulation), in '
    .. 'Docker, on a Mac or on Windows.')
end

-- Who does how many operations a second where the chip is full.
local function rates_of(list)
  local rows = {}
  local all, ours = contenders_of(list)
  for _, shape in ipairs(BIG) do
    rows[#rows + 1] = { heading = shape[2] }
    for index, name in ipairs(all) do
      rows[#rows + 1] = { label = label_of(name),
        class = index > ours and ' class="other"',
        value = figure_of(name, shape[1], 'tflops') }
    end
  end
  return rows
end

local STYLE = [[<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
rect { fill: #0a5c9e }
.other { fill: #8c959f }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 }
  rect { fill: #58a6ff } .other { fill: #6e7681 } }
</style>]]

-- Rows: a heading, or a label with its value and a bar.
local function drawing_of(rows, title, pattern)
  local width, left, step, bar = 640, 170, 28, 16
  local largest = 0
  for _, row in ipairs(rows) do largest = math.max(largest, row.value or 0) end
  local scale = (width - left - 90) / largest
  local parts = { string.format('<svg xmlns="http://www.w3.org/2000/svg" '
    .. 'viewBox="0 0 %d %d" role="img" aria-label="%s">', width,
    step * #rows + 8, title), STYLE }
  for index, row in ipairs(rows) do
    local y, value = (index - 1) * step + 6, row.value
    parts[#parts + 1] = string.format('<text x="%d" y="%d" '
      .. 'text-anchor="end"%s>%s</text>', left - 8, y + 13,
      value and '' or ' style="font-weight:600"', row.label or row.heading)
    if value then
      parts[#parts + 1] = string.format('<rect x="%d" y="%d" width="%.1f" '
        .. 'height="%d"%s/>', left, y, value * scale, bar, row.class or '')
      parts[#parts + 1] = string.format('<text x="%.1f" y="%d">%s</text>',
        left + value * scale + 6, y + 13, pattern:format(value))
    end
  end
  return table.concat(parts, '\n') .. '\n</svg>\n'
end

-- The picture at the top: the one figure of the book that stands alone, so it
-- brings its colours along.
local LADDER_STYLE = [[<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.tick { fill: #59636e }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 }
  .tick { fill: #9198a1 } .grid { stroke: #3d444d } .bar { fill: #58a6ff }
  .whisker { stroke: #f0a36b } }
</style>]]
local LADDER = 'Share of the ceiling, and of the best library, that each stage '
  .. 'has reached at the shape large'

-- Each stage's shares at large, in order, and the best library.
local function shares_of(list)
  local floor = result_of 'floor' or stop('%s/floor.json is missing.', folder)
  local names = {}
  for index, stage in ipairs(list) do names[index] = stage.name end
  local rows, best = results.shares(value_of(peers, 'peers/large/contenders',
    'table'), number(floor, 'model/large/ceiling_us'), names, other_libraries())
  if not rows then stop('%s: %s.', peers.path, best) end
  return rows, best
end

local function ladder_of(list)
  local drawn = bars.shares_svg(shares_of(list))
  return drawn:gsub('^<svg([^\n]*)>\n', function(its)
    return '<svg' .. its .. ' role="img" aria-label="' .. LADDER
      .. '">\n' .. LADDER_STYLE .. '\n'
  end) .. '\n'
end

local function percent(share)
  return string.format(share < 9.95 and '%.1f %%' or '%.0f %%', share)
end

local function table_of(list)
  local rows, best = shares_of(list)
  local its = {}
  for _, row in ipairs(rows) do its[row.name] = row end
  local lines = { '| stage | what it does | of the ceiling | of ' .. best.name
    .. ' | mission |', '|---|---|---:|---:|---:|' }
  for _, stage in ipairs(list) do
    local row = its[stage.name]
    lines[#lines + 1] = string.format('| [%s](%s) | %s | %s | %s | %.1f µs |',
      stage.name, stage.folder, stage.summary,
      row and percent(row.ceiling) or '', row and percent(row.library) or '',
      number(stage.result, 'perf/mission/graph/p50_us'))
  end
  return table.concat(lines, '\n') .. '\n\n' .. wrapped(device(list)
    .. ' Medians of launches in a CUDA graph, warm L2 cache. '
    .. '`make stage1 bench` prints [such a report](' .. folder
    .. '/stage1/bench.terminal.txt).')
end

local parts = { links = links(), commands = commands(), race = race(),
  stages = table_of(list), gpus = gpus_of(list), peers = peers_of(list),
  never = never() }
local readme = read('README.md')
for name, text in pairs(parts) do
  local open, close = '<!-- ' .. name .. ' -->\n', '\n<!-- end -->'
  local from = select(2, readme:find(open, 1, true)) or
    stop('README.md has no part %s.', name)
  local to = readme:find(close, from, true)
  readme = readme:sub(1, from) .. text .. readme:sub(to)
end

local stale = 0
for path, text in pairs { ['README.md'] = readme,
  ['results/ladder.svg'] = ladder_of(list),
  ['results/peers.svg'] = drawing_of(rates_of(list),
    'TFLOP/s by kernel, where the sequences are long',
    '%.0f TFLOP/s') } do
  if read(path) ~= text then
    stale = stale + 1
    if arg[1] == '--check' then
      print(path .. ' is not what the results say: make readme')
    else
      assert(io.open(path, 'w')):write(text):close()
      print('wrote ' .. path)
    end
  end
end
os.exit(arg[1] == '--check' and stale > 0 and 1 or 0)
