#!/usr/bin/env lua5.4
-- Writes the measured parts of README.md, and its drawing results/ladder.svg,
-- from the results that the book cites:  readme.lua [--check]
-- --check writes nothing, and fails (1) if a file would change.
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'json'

local function read(path)
  local file = io.open(path)
  local text = file and file:read 'a'
  if file then file:close() end
  return text
end

local folder = read('chapters/book.yaml'):match('\nresults: (%S+)')

-- The stages with a result, in order.
local function stages()
  local list = {}
  for path in io.popen('ls -d stage[0-9]*_*/'):lines() do
    local name = path:sub(1, -2)
    local text = read(folder .. '/' .. name .. '.json')
    if text then
      list[#list + 1] = { name = name, result = json.decode(text),
        summary = read(path .. 'driver.c'):match('%.summary = "(.-)",\n') }
    end
  end
  return list
end

local function latency(stage, shape)
  return stage.result.perf[shape].graph.p50_us
end

local function table_of(list)
  local lines = { '| stage | what it does | mission, µs | long, µs | speed-up |',
    '|---|---|---:|---:|---:|' }
  for _, stage in ipairs(list) do
    lines[#lines + 1] = string.format(
      '| [%s](%s) | %s | %.1f | %.0f | %.2fx, %.2fx |', stage.name,
      stage.name, stage.summary, latency(stage, 'mission'),
      latency(stage, 'long'),
      latency(list[1], 'mission') / latency(stage, 'mission'),
      latency(list[1], 'long') / latency(stage, 'long'))
  end
  return table.concat(lines, '\n')
end

-- The gates and the timings at mission, as `make stage1 bench` printed them.
local function printed()
  local text = read(folder .. '/stage1/bench.terminal.txt')
  local command, gates = text:match('^(%$ .-\n)(stage1.-\n)\n')
  local times = text:match('\n(mission: us a launch.-)\n\n')
  return '```\n' .. command .. gates .. '...\n' .. times .. '\n```'
end

local function device(list)
  local meta = list[1].result.build_meta
  return string.format('%s, driver for CUDA %s, %s, %s.', meta.device.name,
    meta.device.driver, meta.compiler:match('release [%d.]+'):gsub('release',
    'nvcc'), meta.date:sub(1, 10))
end

local NAMES = { torch_math = 'PyTorch math', torch_flash = 'PyTorch flash',
  torch_efficient = 'PyTorch memory-efficient', torch_cudnn = 'PyTorch cuDNN' }

-- The last stage and PyTorch's attentions, from one run.
local function peers_of(list)
  local run = json.decode(read(folder .. '/peers.json'))
  local last = list[#list].name
  local lines = { '| kernel | mission, µs | long, µs | large, TFLOP/s |'
    .. ' relative RMS error |', '|---|---:|---:|---:|---:|' }
  for _, name in ipairs { last, 'torch_math', 'torch_efficient', 'torch_flash',
                          'torch_cudnn' } do
    local at = {}
    for _, shape in ipairs { 'mission', 'long', 'large' } do
      at[shape] = run.peers[shape].contenders[name]
    end
    lines[#lines + 1] = string.format('| %s | %.1f | %.1f | %.0f | %.1e |',
      NAMES[name] or name, at.mission.graph.p50_us, at.long.graph.p50_us,
      at.large.tflops, at.mission.rel_rms)
  end
  return table.concat(lines, '\n') .. string.format(
    '\n\nPyTorch %s, cuDNN %d.', run.build_meta.torch, run.build_meta.cudnn)
end

local STYLE = [[<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
rect { fill: #0a5c9e }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 }
  rect { fill: #58a6ff } }
</style>]]

local function drawing_of(list)
  local width, left, step, bar = 640, 170, 28, 16
  local scale = (width - left - 70) / latency(list[1], 'mission')
  local parts = { string.format('<svg xmlns="http://www.w3.org/2000/svg" '
    .. 'viewBox="0 0 %d %d" role="img" aria-label="Microseconds a launch at '
    .. 'the mission shape, by stage">', width, step * #list + 8), STYLE }
  for index, stage in ipairs(list) do
    local y, value = (index - 1) * step + 6, latency(stage, 'mission')
    parts[#parts + 1] = string.format('<text x="%d" y="%d" '
      .. 'text-anchor="end">%s</text>', left - 8, y + 13, stage.name)
    parts[#parts + 1] = string.format('<rect x="%d" y="%d" width="%.1f" '
      .. 'height="%d"/>', left, y, value * scale, bar)
    parts[#parts + 1] = string.format('<text x="%.1f" y="%d">%.1f µs</text>',
      left + value * scale + 6, y + 13, value)
  end
  return table.concat(parts, '\n') .. '\n</svg>\n'
end

local list = stages()
local parts = { stages = table_of(list) .. '\n\n' .. device(list),
  bench = printed(), peers = peers_of(list) }
local readme = read('README.md')
for name, text in pairs(parts) do
  local open, close = '<!-- ' .. name .. ' -->\n', '\n<!-- end -->'
  local from = select(2, readme:find(open, 1, true))
  local to = readme:find(close, from, true)
  readme = readme:sub(1, from) .. text .. readme:sub(to)
end

local stale = 0
for path, text in pairs { ['README.md'] = readme,
                          ['results/ladder.svg'] = drawing_of(list) } do
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
