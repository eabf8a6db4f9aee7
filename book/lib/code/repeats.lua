-- Which lines of a kernel the stage before has too.
local arms = require 'code.arms'
local difference = require 'code.difference'
local kernels = require 'data.kernels'
local regions = require 'code.regions'
local repeats = { known = {} }

-- The numbers of the new lines that are old ones: new number to old number.
local function matched(old, new)
  local result = {}
  for _, step in ipairs(difference.of(old, new)) do
    if step[1] == ' ' then
      result[new[step[3]].number] = old[step[2]].number
    end
  end
  return result
end

-- For a kernel that has a stage before it {all, read}, two maps from the number
-- of a line to that of the line there which it repeats: in `all` of any lines;
-- in `read` as a reader compares them, a line of the default arm with lines of
-- the default arm, each other one with any. nil for another file.
function repeats.of(source)
  local path = source.path
  if repeats.known[path] == nil then
    local before = kernels.before(path)
    local previous = before and regions.of(before)
    repeats.known[path] = false
    if previous then
      local all = matched(previous.lines, source.lines)
      local default = arms.default(source)
      local read = matched(arms.lines(previous, arms.default(previous)),
        arms.lines(source, default))
      for number, old in pairs(all) do
        if not default[number] then read[number] = old end
      end
      repeats.known[path] = { all = all, read = read }
    end
  end
  return repeats.known[path] or nil
end

return repeats
