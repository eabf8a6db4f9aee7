-- Collects every error of a build, so that one run names them all.
local report = { errors = {}, STOPPED = {} }

-- file is relative to the root of the tree; line may be nil. Returns nil, as
-- whoever reports may.
function report.line(file, line, format, ...)
  local text = select('#', ...) > 0 and string.format(format, ...) or format
  local place = line and string.format('%s:%d', file, line) or file
  report.errors[#report.errors + 1] =
    { file = file, line = line or 0, text = place .. ': ' .. text }
  return nil
end

-- place: anything with a file and a line.
function report.at(place, ...)
  return report.line(place.file, place.line, ...)
end

-- The same, and ends what report.attempt has called.
function report.stop(place, ...)
  report.at(place, ...)
  error(report.STOPPED, 0)
end

-- What a function returns, or nil where it stopped.
function report.attempt(call, ...)
  local fine, value = pcall(call, ...)
  if fine then return value end
  if value ~= report.STOPPED then error(value, 0) end
end

-- Where there are errors: prints them by file and line, each once, then how
-- many and what that means, and ends the program.
function report.stop_on_errors(what)
  table.sort(report.errors, function(a, b)
    if a.file ~= b.file then return a.file < b.file end
    if a.line ~= b.line then return a.line < b.line end
    return a.text < b.text
  end)
  local count, last = 0, nil
  for _, e in ipairs(report.errors) do
    if e.text ~= last then
      io.stderr:write(e.text, '\n')
      count, last = count + 1, e.text
    end
  end
  if count > 0 then
    io.stderr:write(count, count == 1 and ' error: ' or ' errors: ', what, '\n')
    os.exit(1)
  end
end

return report
