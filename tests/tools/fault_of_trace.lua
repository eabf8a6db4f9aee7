-- What is wrong with a trace: of each warp, events in turn B and E, in order,
-- end to end. Nil where nothing is. For tests:
--   local fault_of = dofile 'tests/tools/fault_of_trace.lua'
return function(events, warps)
  local at, open, seen = {}, {}, 0
  for _, event in ipairs(events) do
    local warp = event.pid .. '.' .. event.tid
    local begins, time, before = event.ph == 'B', event.ts, at[warp]
    if begins or event.ph == 'E' then
      if not before then seen = seen + 1 end
      if begins == (open[warp] or false) then return 'unbalanced ' .. warp end
      if before and (time < before or begins and time ~= before) then
        return 'not end to end ' .. warp
      end
      at[warp], open[warp] = time, begins
    end
  end
  for warp, is_open in pairs(open) do
    if is_open then return 'open ' .. warp end
  end
  return seen ~= warps and seen .. ' warps' or nil
end
