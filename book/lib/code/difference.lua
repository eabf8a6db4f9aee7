-- Line differences, by git's patience: as `make diff-stageN` shows them.
local cache = require 'common.cache'
local files = require 'common.files'
local difference = {}

-- What a user's own settings may change is set, or has no file to be read from.
-- The first lines of the input, as many as the argument says, are the old text.
local COMPARE = [[
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP
cd "$folder" && : >old && : >new &&
  awk -v n="$1" '{ print > (NR <= n ? "old" : "new") }' || exit
GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null HOME=$folder \
  git diff --no-index --no-ext-diff --no-textconv --text --no-color \
  --patience --indent-heuristic --unified=999999 old new || [ $? -eq 1 ]
]]

-- The signs of the steps that lead from a text of some lines to another: ' '
-- for what stays, '-' and '+'; what goes comes before what takes its place.
local function signs_of(old, new, old_lines)
  local said = pandoc.pipe('sh', { '-c', COMPARE, 'sh', tostring(old_lines) },
    old .. new)
  local lines, signs = files.lines(said), {}
  local in_text = false
  for _, line in ipairs(lines) do
    if in_text then signs[#signs + 1] = line:sub(1, 1) end
    in_text = in_text or line:match('^@@ ') ~= nil
  end
  return #lines == 0 and (' '):rep(old_lines) or table.concat(signs)
end

local function text_of(lines)
  local texts = {}
  for index, line in ipairs(lines) do texts[index] = line.text .. '\n' end
  return table.concat(texts)
end

-- Two lists of lines, each with a text, to a list of {sign, old index, new
-- index}.
function difference.of(old, new)
  local before, after = text_of(old), text_of(new)
  local signs = cache.answer('difference '
      .. pandoc.utils.sha1(before .. '\f' .. after),
    function() return signs_of(before, after, #old) end)
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
