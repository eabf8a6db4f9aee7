-- A generator of its own, for Lua's differs from version to version: the same
-- seed draws the same numbers, from 0 to count - 1, on every machine.
return function(seed)
  local state = seed % 2147483648
  return function(count)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 65536 % count
  end
end
