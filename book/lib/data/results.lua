-- Values from recorded results: "FILE:key/key". FILE is a name in the chapter's
-- part of the book's results folder, or in that folder, without .json, or a
-- path with a slash from the root of the tree. A key selects from an object;
-- from an array either an index from 0 or "name=value" (several joined by
-- commas), which picks the element with these values.
local files = require 'common.files'
local figures = require 'data.figures'
local json = require 'data.json'
local kept_json = require 'data.kept_json'
local cache = require 'common.cache'
local kernels = require 'code.kernels'
local report = require 'common.report'
local shares = require 'data.shares'
-- last: the file and the key of what was asked for last. draft: a result of
-- another kernel is no error, but stale; stale: whether any that was asked for
-- is, since somebody set this to false.
local results = { folder = nil, part = nil, last = nil, draft = false,
  stale = false }
local loaded, hashes = {}, {}

-- What tools/results/kernel_hash.py says about a stage; nil and a reason when
-- it can't.
local function kernel_hash(stage)
  if hashes[stage] then return hashes[stage] end
  local script = 'tools/results/kernel_hash.py'
  if not files.exists(script) then return nil, script .. ' is missing' end
  if #files.matching(kernels.folder(stage) .. '/[^/]+%.cu') == 0 then
    return nil, kernels.path(stage) .. ' is missing'
  end
  if hashes[stage] == nil then
    local text = cache.said(script, { stage },
      files.below(kernels.folder(stage), 'common/device', 'floor'))
    hashes[stage] = text and text:match('^(%x+)%s*$') or false
  end
  if not hashes[stage] then return nil, script .. ' ' .. stage .. ' failed' end
  return hashes[stage]
end

local function decoded(path)
  if loaded[path] == nil then
    local text = files.text(path)
    local data, what, line
    if text then
      data, what, line = kept_json.decode(text, 'figures', figures.check)
    end
    loaded[path] = { data = data, path = path, missing = not text }
    if what then
      report.line(path, line, line and 'not valid JSON: %s' or '%s', what)
    end
    return loaded[path], true
  end
  return loaded[path], false
end

-- What is read of files that have no figures: a list, or none.
local function list_at(value, key)
  local list = type(value) == 'table' and value[key]
  return type(list) == 'table' and list or {}
end

-- Do two sources of an arm compile to the same machine code, by the list that
-- tools/results/carry.py keeps beside the results?
local function same_code(path, stage, arm, a, b)
  local folder = path:match('^results/[^/]+/[^/]+/')
  local list = folder and decoded(folder .. 'machine-code.json').data
  for _, kernel in ipairs(list_at(list, 'kernels')) do
    if type(kernel) == 'table' and kernel.stage == stage and
        kernel.arm == arm then
      local known = {}
      for _, hash in ipairs(list_at(kernel, 'kernel_hashes')) do
        known[hash] = true
      end
      return known[a] and known[b]
    end
  end
end

-- arms: those that the result is about
local function check_hash(path, stage, arms, recorded, where)
  local now, reason = kernel_hash(stage)
  local valid = now == recorded
  if now and not valid then
    valid = #arms > 0
    for _, arm in ipairs(arms) do
      valid = valid and same_code(path, stage, arm, recorded, now)
    end
  end
  if not now then
    report.at(where, 'cannot check the kernel of %s: %s', path, reason)
  elseif not valid then
    local says = string.format('%s was measured with another kernel than %s%s '
      .. 'now is: measure it again', path, stage,
      files.exists(kernels.path(stage)) and '/kernel.cu' or '')
    if not results.draft then return report.at(where, '%s', says) end
    loaded[path].stale = true
    io.stderr:write('Stale: ', says, '\n')
  end
end

-- The arms that a result is about: one, or those that a search has timed.
local function arms_of(data)
  if not data.tune then return { data.build_meta.arm or 'default' } end
  local arms = {}
  for _, trial in ipairs(list_at(data.tune, 'trials')) do
    if type(trial) == 'table' and type(trial.arm) == 'string' and
        (trial.state == 'timed' or trial.state == 'same code') then
      arms[#arms + 1] = trial.arm
    end
  end
  return arms
end

-- A result is valid only for the kernel that it was measured with, or for all
-- of them: build_meta.kernels has one entry for each.
local function check_kernel(path, data, where)
  local name = path:match('([^/]+)%.json$')
  local meta = type(data) == 'table' and data.build_meta
  local stage = type(meta) == 'table' and meta.stage
    or name:match('^stage%d[%w_]*')
  local recorded = type(meta) == 'table' and meta.kernel_hash
  for name, kernel in pairs(type(meta) == 'table' and meta.kernels or {}) do
    local arm = tostring(name):match('^[^.]*%.(.+)$') or 'default'
    check_hash(path, kernel.stage, { arm }, kernel.kernel_hash, where)
  end
  if not recorded then
    if name:match('^stage%d') and path:find(results.folder, 1, true) == 1 then
      report.at(where, '%s has no build_meta/kernel_hash', path)
    end
    return
  end
  check_hash(path, tostring(stage), arms_of(data), recorded, where)
end

local function load(name, where)
  local path = name
  if not name:find('/', 1, true) then
    path = results.folder .. '/' .. name .. '.json'
    local part = results.part
    if part and not part:find('/', 1, true) then
      part = results.folder .. '/' .. part
    end
    part = part and part .. '/' .. name .. '.json'
    if part and files.exists(part) then path = part end
  end
  local file, new = decoded(path)
  if new and file.data ~= nil then check_kernel(path, file.data, where) end
  if file.missing then
    report.at(where, 'there is no result file %s', path)
  end
  return file
end

local function matches(element, key)
  for condition in key:gmatch('[^,]+') do
    local name, value = condition:match('^([^=]+)=(.*)$')
    if not name or tostring(element[name]) ~= value then return false end
  end
  return true
end

local function select_key(value, key)
  if type(value) ~= 'table' then return nil end
  if json.keys(value) then
    -- Of make peers' contenders the fastest that is no stage, whoever it is.
    if key == 'best_library' then key = shares.best_of(value) end
    if key == 'best_library_name' then return shares.name_of_best(value) end
    return value[key]
  end
  local index = math.tointeger(tonumber(key))
  if index then return value[index + 1] end
  for _, element in ipairs(value) do
    if type(element) == 'table' and matches(element, key) then
      return element
    end
  end
end

-- The value of a reference, or nil once the reason has been reported at where
-- ({file, line}).
function results.get(reference, where)
  local name, path = reference:match('^([^:]+):(.+)$')
  if not name then
    return report.at(where, '"%s" is not a reference FILE:key/key', reference)
  end
  local file = load(name, where)
  if file.data == nil then return nil end
  results.stale = results.stale or file.stale == true
  local value = file.data
  for key in path:gmatch('[^/]+') do
    value = select_key(value, key)
    if value == nil then
      return report.at(where, '%s has no "%s" (at "%s")', file.path, path, key)
    end
  end
  results.last = file.path .. ': ' .. path
  return value
end

-- From a to b: speed-up a/b, time saved 1 - b/a in percent, difference a - b,
-- how far a is off b in percent, and a in percent of b.
local operations = {
  ratio = function(a, b) return a / b end,
  saved = function(a, b) return 100 * (1 - b / a) end,
  minus = function(a, b) return a - b end,
  off = function(a, b) return a == b and 0 or 100 * (a / b - 1) end,
  share = function(a, b) return 100 * a / b end,
}
results.operations = operations

-- "REF", or the product "REF×REF" of two or more.
local function operand(text, where)
  if not text:find('×', 1, true) then return results.get(text, where) end
  local product = 1
  for reference in text:gsub('×', '\0'):gmatch('[^\0]+') do
    local factor = results.get(reference, where)
    if factor == nil then return nil end
    if type(factor) ~= 'number' then
      return report.at(where, '%s is no number', reference)
    end
    product = product * factor
  end
  return product
end

-- "REF", or "OPERATION REF REF"; nil once an error has been reported. Each may
-- be a product. keys, when given, says what stands for {row} and {column}.
function results.evaluate(expression, where, keys)
  local words = {}
  for word in expression:gmatch('%S+') do
    words[#words + 1] = word:gsub('{(%l+)}', keys or {})
  end
  local operation = operations[words[1]]
  if not operation then
    if #words == 1 then return operand(words[1], where) end
    return report.at(where,
      '"%s" is neither one reference nor ratio|saved|minus|off|share with two',
      expression)
  end
  if #words ~= 3 then
    return report.at(where, '%s needs two references', words[1])
  end
  local a, b = operand(words[2], where), operand(words[3], where)
  if a == nil or b == nil then return nil end
  if type(a) ~= 'number' or type(b) ~= 'number' then
    return report.at(where, '%s needs two numbers', words[1])
  end
  local value = operation(a, b)
  if value ~= value or math.abs(value) == math.huge then
    return report.at(where, '%s of %s and %s divides by zero', words[1],
      words[2], words[3])
  end
  return value
end

return results
