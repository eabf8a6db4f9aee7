#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- Says whether a folder of recorded runs is whole and honest:  check.lua DIR
-- DIR is results/DEVICE/DATE. Every file must be readable, of a kernel as it is
-- now, and of that device; each stage that runs there must have passed its
-- gates and have timings, of one run, that follow from their samples. A line
-- for each fault. Exit code 1: there are faults; 2: no such folder.
package.path = 'book/lib/?.lua;tools/results/check/?.lua;' .. package.path
local figures = require 'data.figures'
local files = require 'common.files'
local gates = require 'gates'
local json = require 'data.json'
local kernels = require 'code.kernels'
local origin = require 'origin'
local timings = require 'timings'

local dir = (arg[1] or ''):gsub('/+$', '')

local function stop(...)
  io.stderr:write(string.format(...), '\n')
  os.exit(2)
end

local folder = {}
folder.device, folder.date =
  dir:match '^results/([%w-]+)/(%d%d%d%d%-%d%d%-%d%d)$'
if not folder.date then
  stop("'%s' is no folder of results: give DIR=results/DEVICE/DATE.", dir)
end
local paths = files.below(dir)
if #paths == 0 then stop('There is nothing in %s.', dir) end

local faults = 0
local function fault_at(path)
  return function(...)
    faults = faults + 1
    print(path .. ': ' .. string.format(...))
  end
end

-- The value of a JSON file; nil where it cannot be read, which is a fault.
local function read(path)
  local data, what, line = json.decode(files.text(path) or '')
  local fault = fault_at(path)
  if what then return fault('line %d: %s', line, what) end
  local wrong = figures.check(data)
  if wrong then return fault('%s', wrong) end
  if type(data) ~= 'table' then return fault 'it is no result' end
  return data
end

local settings = json.decode(files.text 'common/harness/settings.json')
local dims = {}
for _, shape in ipairs(settings.shapes) do
  dims[shape.key] = { shape.batch, shape.heads, shape.seq_len, shape.head_dim }
end

local results, count = {}, 0
for _, path in ipairs(paths) do
  if path:find '%.json$' then
    count, results[path] = count + 1, read(path)
  end
end
local ledger = results[dir .. '/machine-code.json']

local function check_origin(path, data)
  local fault, meta = fault_at(path), data.build_meta
  if type(meta) ~= 'table' then return end
  if meta.kernel_hash then
    origin.check_kernel(meta, ledger, fault)
  end
  local all = meta.kernels
  for _, name in ipairs(type(all) == 'table' and json.keys(all) or {}) do
    origin.check_kernel(all[name], ledger, fault)
  end
end

-- Timings of a stage, and what they need.
local function check_timed(path, data)
  local fault = fault_at(path)
  if type(data.build_meta) ~= 'table' then
    return fault 'it does not say where it is from'
  end
  origin.check_run(data.build_meta, folder, fault)
  local in_main = path:match('^.*/') == dir .. '/'
  local shapes = json.keys(data.perf)
  for _, shape in ipairs(shapes) do
    timings.check_shape(data.perf[shape], shape, dims[shape], in_main, fault)
  end
  gates.check(data.correctness, shapes, in_main and settings.seeds or {}, fault)
end

for _, path in ipairs(paths) do
  local data = results[path]
  if data and data ~= ledger then
    check_origin(path, data)
    if type(data.perf) == 'table' and json.keys(data.perf) then
      check_timed(path, data)
    end
  end
end

-- Each stage that runs on this GPU, at the shapes that a table shows, all timed
-- in turn in one process.
local run
local function check_stage(stage, capability)
  local path = dir .. '/' .. stage .. '.json'
  local only = files.text(kernels.path(stage))
    :match '\n// architectures:([^\n]*)'
  if only and not only:find('%f[%w]' .. capability .. '%a?%f[%W]') then
    return false
  end
  local data, fault = results[path], fault_at(path)
  if not data then
    if not files.exists(path) then fault 'there is no such file' end
    return true
  end
  for _, shape in ipairs(settings.bench.shapes_gpu) do
    if type(data.perf) ~= 'table' or not data.perf[shape] then
      fault('there are no timings at %s', shape)
    end
  end
  local its = type(data.build_meta) == 'table' and data.build_meta.run
  run = run or its
  if its ~= run then
    fault 'it was not timed in one process with the stages before'
  end
  return true
end

-- What the folder's results say that the GPU is.
local function device_of()
  for _, stage in ipairs(kernels.stages()) do
    local data = results[dir .. '/' .. stage .. '.json']
    local device = data and type(data.build_meta) == 'table' and
      data.build_meta.device
    if type(device) == 'table' and device.capability then return device end
  end
end

local device, stages = device_of(), 0
if not device then
  fault_at(dir)('no stage in it says on which GPU it ran')
else
  local capability = tostring(device.capability):gsub('%.', '')
  for _, stage in ipairs(kernels.stages()) do
    if check_stage(stage, capability) then stages = stages + 1 end
  end
end
if not files.exists(dir .. '/bench.terminal.txt') then
  fault_at(dir .. '/bench.terminal.txt') 'there is no such file'
end

if faults > 0 then
  print(faults == 1 and '1 fault.' or faults .. ' faults.')
  os.exit(1)
end
print(string.format('%s: %d stages on %s, %d files; whole and honest.', dir,
  stages, device.name, count))
