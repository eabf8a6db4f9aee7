-- Line differences, by git's patience: as `make diff-stageN` shows them.
local cache = require 'common.cache'
local files = require 'common.files'
local difference = {}

local COMPARE = { 'diff', '--no-index', '--no-ext-diff', '--no-textconv',
  '--text', '--no-color', '--patience', '--indent-heuristic',
  '--unified=999999' }

-- The signs of the steps that lead from a text to another: ' ' for what stays,
-- '-' and '+'; what goes comes before what takes its place.
local function signs_of(old, new)
  if old == new then return (old:gsub('[^\n]*\n', ' ')) end
  local signs = pandoc.system.with_temporary_directory('book', function(folder)
    files.write(folder .. '/old', old)
    files.write(folder .. '/new', new)
    local same, failed = pcall(pandoc.pipe, 'git', pandoc.List(COMPARE)
      .. { folder .. '/old', folder .. '/new' }, '')
    assert(not same and failed.error_code == 1, failed)
    return failed.output:match('\n@@ [^\n]*\n(.*)$'):gsub('([^\n])[^\n]*\n',
      '%1')
  end)
  return signs
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
    function() return signs_of(before, after) end)
  local steps, i, j = {}, 0, 0
  for sign in signs:gmatch('.') do
    if sign ~= '+' then i = i + 1 end
    if sign ~= '-' then j = j + 1 end
    steps[#steps + 1] = { sign, sign ~= '+' and i or nil,
                          sign ~= '-' and j or nil }
  end
  return steps
end

-- Which steps to show, those within some lines of a change; nil where there is
-- none.
function difference.near(steps, context)
  local shown = {}
  for index, step in ipairs(steps) do
    if step[1] ~= ' ' then
      for near = index - context, index + context do shown[near] = true end
    end
  end
  return next(shown) and shown
end

return difference
