-- Line differences by longest common subsequence; needs no other program.
local cache = require 'common.cache'
local difference = {}

-- lengths[i][j]: the longest common subsequence of old[i..] and new[j..].
local function common_lengths(old, new, first, old_last, new_last)
  local lengths = {}
  for i = old_last + 1, first, -1 do
    lengths[i] = {}
    for j = new_last + 1, first, -1 do
      if i > old_last or j > new_last then
        lengths[i][j] = 0
      elseif old[i] == new[j] then
        lengths[i][j] = lengths[i + 1][j + 1] + 1
      else
        lengths[i][j] = math.max(lengths[i + 1][j], lengths[i][j + 1])
      end
    end
  end
  return lengths
end

-- The signs of the steps that lead from a list of strings to another: ' ' for
-- what stays, '-' and '+'; what goes comes before what takes its place.
local function signs_of(old, new)
  local first, old_last, new_last = 1, #old, #new
  while first <= old_last and first <= new_last and old[first] == new[first] do
    first = first + 1
  end
  while old_last >= first and new_last >= first and
      old[old_last] == new[new_last] do
    old_last, new_last = old_last - 1, new_last - 1
  end
  local signs = { (' '):rep(first - 1) }
  local lengths = common_lengths(old, new, first, old_last, new_last)
  local i, j = first, first
  while i <= old_last or j <= new_last do
    local sign = '+'
    if i <= old_last and j <= new_last and old[i] == new[j] then
      sign = ' '
    elseif i <= old_last and
        (j > new_last or lengths[i + 1][j] >= lengths[i][j + 1]) then
      sign = '-'
    end
    signs[#signs + 1] = sign
    if sign ~= '+' then i = i + 1 end
    if sign ~= '-' then j = j + 1 end
  end
  signs[#signs + 1] = (' '):rep(#old - old_last)
  return table.concat(signs)
end

-- Two lists of strings to a list of {sign, old index, new index}.
function difference.of(old, new)
  local texts = table.concat(old, '\n') .. '\f' .. table.concat(new, '\n')
  local signs = cache.answer('difference ' .. pandoc.utils.sha1(texts),
    function() return signs_of(old, new) end)
  local steps, i, j = {}, 0, 0
  for sign in signs:gmatch('.') do
    if sign ~= '+' then i = i + 1 end
    if sign ~= '-' then j = j + 1 end
    steps[#steps + 1] = { sign, sign ~= '+' and i or nil,
                          sign ~= '-' and j or nil }
  end
  return steps
end

-- Which steps to show: those within some lines of a change.
function difference.near(steps, context)
  local shown, changed = {}, false
  for index, step in ipairs(steps) do
    if step[1] ~= ' ' then
      changed = true
      for near = index - context, index + context do shown[near] = true end
    end
  end
  return shown, changed
end

return difference
