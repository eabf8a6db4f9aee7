-- Collects every error of a build, so that one run names them all.
local report = { errors = {} }

-- file is relative to the root of the tree; line may be nil.
function report.line(file, line, format, ...)
  local text = select('#', ...) > 0 and string.format(format, ...) or format
  local place = line and string.format('%s:%d', file, line) or file
  report.errors[#report.errors + 1] =
    { file = file, line = line or 0, text = place .. ': ' .. text }
end

-- place: anything with a file and a line.
function report.at(place, ...) report.line(place.file, place.line, ...) end

-- Prints the errors by file and line, each once; returns how many there were.
local function print_all()
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
  return count
end

-- Where there are errors: prints them and how many, and ends the program. The
-- words are for one of them, and for several, with %d.
function report.stop_on_errors(one, several)
  local count = print_all()
  if count > 0 then
    io.stderr:write(count == 1 and one or several:format(count), '\n')
    os.exit(1)
  end
end

return report
