#!/usr/bin/env -S tools/setup/pandoc.sh lua
-- Checks a file of claims:  claims.lua FILE.json
-- Prints what is wrong, a line each; exit 1 if anything is.
package.path = 'book/lib/?.lua;' .. package.path
local json = require 'data.json'

local path, bad = arg[1], 0
local function complain(...)
  bad = bad + 1
  print(string.format(...))
end

local file = assert(io.open(path))
local data, why, line = json.decode(file:read 'a')
file:close()
if not data then
  print(string.format('%s:%s: %s', path, line, why))
  os.exit(1)
end

local function is_text(value) return type(value) == 'string' and value ~= '' end
local patterns = { id = '^[a-z0-9-]+$', commit = '^%x%x%x%x%x%x%x%x*$',
  shape = '^%d+,%d+,%d+,%d+$', why = '%.$' }
local fields = { 'id', 'claim', 'unit', 'shape', 'file', 'commit',
  'provenance', 'verdict', 'why' }
local known, seen, used = { figures = true }, {}, {}
for _, field in ipairs(fields) do known[field] = true end

for _, claim in ipairs(data.claims or {}) do
  local name = tostring(claim.id)
  for _, field in ipairs(fields) do
    local value = claim[field]
    if not is_text(value) then
      complain('%s has no %s', name, field)
    elseif patterns[field] and not value:find(patterns[field]) then
      complain('%s: "%s" is no %s', name, value, field)
    end
  end
  for field in pairs(claim) do
    if not known[field] then complain('%s: what is %s?', name, field) end
  end
  for _, key in ipairs { 'provenance', 'verdict' } do
    local word = claim[key]
    if is_text(word) and not is_text(data[key .. 's'][word]) then
      complain('%s: there is no %s "%s"', name, key, word)
    end
    used[word or ''] = true
  end
  if type(claim.figures) ~= 'table' then complain('%s: no figures', name) end
  for key, value in pairs(claim.figures or {}) do
    if type(value) ~= 'number' then complain('%s: %s: no number', name, key) end
  end
  if seen[name] then complain('%s is there twice', name) end
  seen[name] = true
end

for _, verdict in ipairs { 'sound', 'sound number, wrong cause', 'weak',
  'invalid', 'never measured' } do
  if not used[verdict] then complain('no claim is "%s"', verdict) end
end
for _, id in ipairs { 'stage1', 'stage2', 'stage3a', 'vectorised', 'swizzle',
  'stage4', 'stage4-long', 'fifteen-fold', 'four-fold', 'stage1-761',
  'stage2-359', 'stage5', 'fast-exp', 'mean-gate', 'max-gate' } do
  if not seen[id] then complain('the claim %s is missing', id) end
end
os.exit(bad == 0 and 0 or 1)
