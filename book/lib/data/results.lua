-- Values from recorded results: "FILE:key/key". FILE is a name in the chapter's
-- part of the book's results folder, in that folder, or in the one that the
-- book names beside it, without .json, or a path with a slash from the root of
-- the tree. A key selects from an object;
-- from an array either an index from 0 or "name=value" (several joined by
-- commas), which picks the element with these values.
local files = require 'common.files'
local format = require 'common.format'
local report = require 'common.report'
-- last: the file and the key of what was asked for last. draft: a result of
-- another kernel is no error, but stale; stale: whether any that was asked for
-- is, since somebody set this to false.
local results = { folder = nil, part = nil, last = nil, draft = false,
  stale = false, null = pandoc.json.null }
local known = {}

-- Reads one file, or all results, in less time than one by one. What is said of
-- them depends on the kernels, too.
local function read(paths, sources)
  local texts = {}
  for index, path in ipairs(pandoc.List(sources) .. files.matching '(.*%.cuh?)'
      .. files.matching '(.*%.h)') do
    texts[index] = path .. '\0' .. (files.text(path) or '')
  end
  local text = files.answer('results ' .. pandoc.utils.sha1(
    table.concat(texts, '\0')), function()
    return pandoc.pipe(files.HERE .. 'checked_results.py', paths, '')
  end)
  for path, result in pairs(pandoc.json.decode(text, false)) do
    known[path] = result
    if result.wrong then report.line(path, nil, '%s', result.wrong) end
  end
end

-- What the libraries are called where people read.
results.NAMES = { torch_math = 'PyTorch math', torch_flash = 'PyTorch flash',
  torch_efficient = 'PyTorch memory-efficient', torch_cudnn = 'PyTorch cuDNN',
  flash_attention_3 = 'FlashAttention-3', cudnn_fp16 = 'cuDNN fp16',
  cudnn_fp8 = 'cuDNN FP8' }

-- The median of a contender that was timed, by itself or in a graph.
local function time_of(contender)
  local timed = type(contender) == 'table'
    and (contender.graph or contender.event)
  return timed and timed.p50_us
end

-- The fastest of those that are not ours: its key and its time.
local function best_of(contenders)
  local best, least
  for name, contender in pairs(contenders) do
    local time = not name:find('^stage%d') and name ~= 'libfp8attention'
      and time_of(contender)
    if time and (not least or time < least or time == least and name < best)
    then
      best, least = name, time
    end
  end
  return best, least
end

-- How far each stage is at one shape. contenders: as make peers records them;
-- ceiling_us: the time at the ceiling there; stages: the names of all. A list
-- of {name, ceiling, library} of those that were timed, the times of the
-- ceiling and of the best library in percent of the stage's, and {name,
-- ceiling} of the library; or nil and a reason.
function results.shares(contenders, ceiling_us, stages)
  local best, least = best_of(contenders)
  if not best then return nil, 'no library was timed' end
  local list = {}
  for _, name in ipairs(stages) do
    local time = time_of(contenders[name])
    if time then
      list[#list + 1] = { name = name, ceiling = 100 * ceiling_us / time,
        library = 100 * least / time }
    end
  end
  if #list == 0 then return nil, 'no stage was timed' end
  return list, { name = results.NAMES[best] or best,
    ceiling = 100 * ceiling_us / least }
end

-- A result is valid only for the kernel that it was measured with.
local function check_kernel(its, where)
  if its.checked then return end
  its.checked = true
  for _, says in ipairs(its.stale) do
    if not results.draft then return report.at(where, '%s', says) end
    io.stderr:write('Stale: ', says, '\n')
  end
end

local function path_of(name)
  if not next(known) then read({}, files.matching '(results/.*)') end
  if name:find('/', 1, true) then return name end
  local part, places = results.part, pandoc.List { results.folder,
    results.also }
  if part then
    part = part:find('/', 1, true) and part or results.folder .. '/' .. part
    places = pandoc.List { part, (part:match('^(.*)/')) } .. places
  end
  for _, folder in ipairs(places) do
    local path = folder .. '/' .. name .. '.json'
    if known[path] then return path end
  end
  return results.folder .. '/' .. name .. '.json'
end

local function matches(element, key)
  for condition in key:gmatch('[^,]+') do
    local name, value = condition:match('^([^=]+)=(.*)$')
    if not name or format.plain(element[name]) ~= value then return false end
  end
  return true
end

local function select_key(value, key)
  if type(value) ~= 'table' then return nil end
  if #value == 0 then
    -- Of make peers' contenders the fastest that is no stage, whoever it is.
    local best = key == 'best_library' and best_of(value)
    return value[best or key]
  end
  local index = math.tointeger(tonumber(key))
  if index then return value[index + 1] end
  for _, element in ipairs(value) do
    if type(element) == 'table' and matches(element, key) then
      return element
    end
  end
end

-- The value of a reference; where there is none, the reason is reported at
-- where ({file, line}), and the attempt stops.
function results.get(reference, where)
  local name, path = reference:match('^([^:]+):(.+)$')
  if not name then
    report.stop(where, '"%s" is not a reference FILE:key/key', reference)
  end
  local file = path_of(name)
  if not known[file] and files.exists(file) then read({ file }, { file }) end
  local its = known[file]
    or report.stop(where, 'there is no result file %s', file)
  if its.wrong then error(report.STOPPED, 0) end
  check_kernel(its, where)
  results.stale = results.stale or #its.stale > 0
  local value = its.value
  for key in path:gmatch('[^/]+') do
    value = select_key(value, key)
    if value == nil then
      report.stop(where, '%s has no "%s" (at "%s")', file, path, key)
    end
  end
  results.last = file .. ': ' .. path
  return value
end

-- From a to b: speed-up a/b, time saved 1 - b/a in percent, difference a - b,
-- how far a is off b in percent, and a in percent of b.
results.operations = {
  ratio = function(a, b) return a / b end,
  saved = function(a, b) return 100 * (1 - b / a) end,
  minus = function(a, b) return a - b end,
  off = function(a, b) return a == b and 0 or 100 * (a / b - 1) end,
  share = function(a, b) return 100 * a / b end,
}

-- "REF", or the product "REF×REF" of two or more numbers.
local function operand(text, where, only_numbers)
  local product
  for reference in text:gsub('×', '\0'):gmatch('[^\0]+') do
    local factor = results.get(reference, where)
    if type(factor) ~= 'number' and (only_numbers or text ~= reference) then
      report.stop(where, '%s is no number', reference)
    end
    product = product and product * factor or factor
  end
  return product
end

-- What "REF", or "OPERATION REF REF" is worth; each may be a product. keys,
-- when given, says what stands for {row}.
function results.value(expression, where, keys)
  local words = {}
  for word in expression:gmatch('%S+') do
    words[#words + 1] = word:gsub('{(%l+)}', keys or {})
  end
  local operation = results.operations[words[1]]
  if not operation and #words == 1 then return operand(words[1], where) end
  if not operation then
    report.stop(where,
      '"%s" is neither one reference nor ratio|saved|minus|off|share with two',
      expression)
  elseif #words ~= 3 then
    report.stop(where, '%s needs two references', words[1])
  end
  local value = operation(operand(words[2], where, true),
    operand(words[3], where, true))
  if value ~= value or math.abs(value) == math.huge then
    report.stop(where, '%s of %s and %s divides by zero', table.unpack(words))
  end
  return value
end

-- The same, or nil once an error has been reported.
function results.evaluate(...)
  return report.attempt(results.value, ...)
end

return results
