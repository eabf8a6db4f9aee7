-- Line differences by longest common subsequence; needs no other program.
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

-- Two lists of strings to a list of {sign, old index, new index}; sign is ' ',
-- '-' or '+', removed lines come before the lines that replace them.
function difference.of(old, new)
  local first, old_last, new_last = 1, #old, #new
  while first <= old_last and first <= new_last and old[first] == new[first] do
    first = first + 1
  end
  while old_last >= first and new_last >= first and
      old[old_last] == new[new_last] do
    old_last, new_last = old_last - 1, new_last - 1
  end
  local steps = {}
  for i = 1, first - 1 do steps[i] = { ' ', i, i } end
  local lengths = common_lengths(old, new, first, old_last, new_last)
  local i, j = first, first
  while i <= old_last or j <= new_last do
    if i <= old_last and j <= new_last and old[i] == new[j] then
      steps[#steps + 1] = { ' ', i, j }
      i, j = i + 1, j + 1
    elseif i <= old_last and
        (j > new_last or lengths[i + 1][j] >= lengths[i][j + 1]) then
      steps[#steps + 1] = { '-', i, nil }
      i = i + 1
    else
      steps[#steps + 1] = { '+', nil, j }
      j = j + 1
    end
  end
  for k = 1, #old - old_last do
    steps[#steps + 1] = { ' ', old_last + k, new_last + k }
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
