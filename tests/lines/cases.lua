-- The default cases of `check` and `race`, as the programs choose them from
-- settings.json:  local cases = dofile 'tests/lines/cases.lua'
local cases = {}

-- The number of keys of a shape, by name or as B,H:KV,S,D.
local function keys_of(settings, shape)
  for _, s in ipairs(settings.shapes) do
    if s.key == shape then return s.seq_len end
  end
  return tonumber(shape:match '^%d+,[%d:]+,(%d+)')
end

-- The shapes in groups, those first that reach much for little: the plain ones
-- of few keys together, then the variants from most to fewest keys, for a
-- kernel may refuse some, then what is large.
local function groups(settings, plain, variants)
  local together, all, large = {}, {}, {}
  local function keys(group) return keys_of(settings, group[1]) end
  for _, shape in ipairs(plain) do
    if keys {shape} > 200 then
      table.insert(large, {shape})
    else
      table.insert(together, shape)
    end
  end
  for i, shape in ipairs(variants) do all[i] = {shape} end
  table.sort(all, function(a, b) return keys(a) > keys(b) end)
  table.insert(all, 1, together)
  return table.move(large, 1, #large, #all + 1, all)
end

-- The shapes that all stages get, and those of one alone.
local function with_further(settings, variants, stage)
  local all = {table.unpack(variants)}
  local further = settings.further[stage] or {}
  return table.move(further, 1, #further, #all + 1, all)
end

-- Commands for the program's plain build, with inputs that are normal: the
-- other distributions run the same shapes.
function cases.race(settings, stage)
  local commands = {}
  for _, group in ipairs(groups(settings, settings.race.shapes,
    with_further(settings, settings.race.variants, stage))) do
    for _, number in ipairs(settings.multiprocessors) do
      table.insert(commands, string.format('check --distribution normal ' ..
        '--seeds %d --multiprocessors %d --shape %s', settings.seeds[1], number,
        table.concat(group, ' --shape ')))
    end
  end
  return commands
end

-- Each seed has a number of multiprocessors of its own.
function cases.check(settings, stage)
  local commands, check, plain = {}, settings.check, {}
  for _, shape in ipairs(check.shapes) do table.insert(plain, shape) end
  for _, keys in ipairs(check.seq_lens) do
    table.insert(plain, string.format('%d,%d,%d,%d', check.batch, check.heads,
      keys, check.head_dim))
  end
  for _, group in ipairs(groups(settings, plain,
    with_further(settings, check.variants, stage))) do
    for _, seed in ipairs(settings.seeds) do
      table.insert(commands, string.format('check --distribution normal ' ..
        '--seeds %d --shape %s', seed, table.concat(group, ' --shape ')))
    end
  end
  return commands
end

return cases
