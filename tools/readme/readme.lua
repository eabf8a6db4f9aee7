#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- Writes the measured parts of README.md, and its drawings in results/, from
-- the results that the book cites:  readme.lua [--check]
-- --check writes nothing, and fails (1) if a file would change. Exit code 2: a
-- result cannot be read, or a figure is missing there.
package.path = 'book/lib/?.lua;' .. package.path
local figures = require 'data.figures'
local json = require 'data.json'
local kernels = require 'code.kernels'
local shares = require 'data.shares'
local ladder = require 'figures.shares'

local read = require('common.files').text

local function stop(pattern, ...)
  io.stderr:write(pattern:format(...), '\n')
  os.exit(2)
end

local folder = (read('chapters/book.yaml') or ''):match('\nresults: (%S+)') or
  stop 'chapters/book.yaml names no folder of results.'

-- A result as {path, data}, or nil where there is none.
local function result_of(name)
  local path = folder .. '/' .. name .. '.json'
  local text = read(path)
  if not text then return nil end
  local data, what, line = json.decode(text)
  if what then stop('%s is not valid JSON: line %d: %s.', path, line, what) end
  local wrong = figures.check(data)
  if wrong then stop('%s: %s.', path, wrong) end
  return { path = path, data = data }
end

local function value_of(result, path, wanted)
  local value, wrong = figures.at(result.data, path, wanted)
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
      list[#list + 1] = { name = name, result = result,
        summary = read(kernels.folder(name) .. '/driver.c')
          :match('%.summary = "(.-)",\n') }
    end
  end
  return #list > 0 and list or stop('%s holds no result of a stage.', folder)
end

local function latency(stage, shape)
  return number(stage.result, 'perf/' .. shape .. '/graph/p50_us')
end

local function table_of(list)
  local lines = {
    '| stage | what it does | mission, µs | long, µs | speed-up |',
    '|---|---|---:|---:|---:|' }
  for _, stage in ipairs(list) do
    lines[#lines + 1] = string.format(
      '| [%s](%s) | %s | %.1f | %.0f | %.2fx, %.2fx |', stage.name,
      kernels.folder(stage.name), stage.summary, latency(stage, 'mission'),
      latency(stage, 'long'),
      latency(list[1], 'mission') / latency(stage, 'mission'),
      latency(list[1], 'long') / latency(stage, 'long'))
  end
  return table.concat(lines, '\n')
end

-- The gates and the timings at mission, as `make stage1 bench` printed them.
local function printed()
  local path = folder .. '/stage1/bench.terminal.txt'
  local text = read(path) or ''
  local command, gates = text:match('^(%$ .-\n)(stage1.-\n)\n')
  local times = text:match('\n(mission: us a launch.-)\n\n')
  if not gates or not times then
    stop('%s is not what make stage1 bench prints.', path)
  end
  return '```\n' .. command .. gates .. '...\n' .. times .. '\n```'
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
-- the libraries, from one run.
local NAMES = shares.NAMES
local ORDER = { 'cudnn_fp8', 'cudnn_fp16', 'torch_flash', 'torch_efficient',
  'torch_math' }
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
  local only = read(kernels.path(stage.name))
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

local function gpus_of(list)
  local lines = { class_of(list), '', '| GPU | compute capability | stages |',
    '|---|---|---|' }
  for _, gpu in ipairs(GPUS) do
    lines[#lines + 1] = string.format('| %s | %s | %s |', gpu[1], gpu[2],
      ranges((numbers_on({ gpu }, list))))
  end
  return table.concat(lines, '\n')
end

local list = stages()
local peers = result_of 'peers' or stop('%s/peers.json is missing.', folder)

local function figure_of(name, shape, key)
  local place = 'peers/' .. shape .. '/contenders/' .. name
  return number(peers, place .. '/' .. key)
end

-- Does the default arm's stage_support say DRIFTS, without a condition?
local function drifts(stage)
  return (read(kernels.path(stage.name)):match 'stage_support = (%b{})' or '')
    :match ', DRIFTS}$'
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
  local ours = #names
  return table.move(ORDER, 1, #ORDER, ours + 1, names), ours
end

-- By how much one kernel, timed twice in that run, differed from itself, in
-- percent of the last stage's time.
local function noise_of(list)
  local function percent(shape)
    return 100 * number(peers, 'peers/' .. shape .. '/noise_us') /
      figure_of(list[#list].name, shape, 'graph/p50_us')
  end
  return string.format('A difference below the noise of the run is none: '
    .. '%.1f %% at mission, %.1f %% at long, %.1f %% at large, %.1f %% at '
    .. 'D = 128.', percent 'mission', percent 'long', percent 'large',
    percent(WIDE))
end

local function peers_of(list)
  local lines = { '| kernel | mission, µs | long, µs | large, TFLOP/s '
    .. '| D = 128, TFLOP/s | relative RMS error | where V has a mean of 4 |',
    '|---|---:|---:|---:|---:|---:|---:|' }
  for _, name in ipairs((contenders_of(list))) do
    lines[#lines + 1] = string.format(
      '| %s | %.1f | %.1f | %.0f | %.0f | %.1e | %.1e |', NAMES[name] or name,
      figure_of(name, 'mission', 'graph/p50_us'),
      figure_of(name, 'long', 'graph/p50_us'),
      figure_of(name, 'large', 'tflops'), figure_of(name, WIDE, 'tflops'),
      figure_of(name, 'large', 'rel_rms'),
      figure_of(name, 'large', 'rel_rms_offset'))
  end
  return table.concat(lines, '\n') .. '\n\n' .. wrapped(string.format(
    'PyTorch %s, cuDNN %.0f. %s', text_of(peers, 'build_meta/torch'),
    number(peers, 'build_meta/cudnn'), noise_of(list)))
end

-- Who does how many operations a second where the chip is full.
local function rates_of(list)
  local rows = {}
  local all, ours = contenders_of(list)
  for _, shape in ipairs(BIG) do
    rows[#rows + 1] = { heading = shape[2] }
    for index, name in ipairs { table.unpack(all, 1, ours + 3) } do
      local label = NAMES[name] or name:gsub('^stage(%d+).*', 'stage %1')
      rows[#rows + 1] = { label = label,
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
local LADDER = 'Share of the floor, and of the best library, that each stage '
  .. 'has reached at the shape large'

local function ladder_of(list)
  local floor = result_of 'floor' or stop('%s/floor.json is missing.', folder)
  local names = {}
  for index, stage in ipairs(list) do names[index] = stage.name end
  local rows, best = shares.of(value_of(peers, 'peers/large/contenders',
    'table'), number(floor, 'model/large/floor_us'), names)
  if not rows then stop('%s: %s.', peers.path, best) end
  return (ladder.svg(rows, best):gsub('^<svg([^\n]*)>\n', function(attributes)
    return '<svg' .. attributes .. ' role="img" aria-label="' .. LADDER
      .. '">\n' .. LADDER_STYLE .. '\n'
  end)) .. '\n'
end

local parts = { stages = table_of(list) .. '\n\n' .. device(list),
  bench = printed(), gpus = gpus_of(list), peers = peers_of(list) }
local readme = read('README.md')
for name, text in pairs(parts) do
  local open, close = '<!-- ' .. name .. ' -->\n', '\n<!-- end -->'
  local from = select(2, readme:find(open, 1, true))
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
