-- The file of a lab's stage, as the reader begins with it and as the book has
-- it: of a kernel the default arm with the marks of its regions. The two differ
-- in the regions that the lab empties, and nowhere else.
local files = dofile 'tools/labs/files.lua'
local kinds = dofile 'tools/labs/kinds.lua'
local programs = dofile 'tools/labs/programs.lua'
local skeleton = {}

-- Regions in which other arms alone had lines are gone.
local function without_empty(text)
  return (text:gsub('//> ([%l%d-]+)\n//< ([%l%d-]+)\n', function(one, other)
    return one == other and '' or nil
  end):gsub('\n\n\n+', '\n\n'))
end

-- The text between a region's marks: where it begins and ends.
local function inside(text, region)
  local name = region:gsub('%-', '%%-')
  local _, first = ('\n' .. text):find('\n *//> ' .. name .. '\n')
  local last = first and ('\n' .. text):find('\n *//< ' .. name .. '\n', first)
  if first and last then return first, last - 1 end
end

-- What a region holds; nil where its marks are not there.
function skeleton.region(text, region)
  local first, last = inside(text, region)
  return first and text:sub(first, last)
end

function skeleton.replace(text, region, with)
  local first, last = inside(text, region)
  assert(first, 'the kernel has no region ' .. region)
  return text:sub(1, first - 1) .. with .. text:sub(last + 1)
end

-- The book's solution.
function skeleton.solution(lab)
  local folder = kinds.of(lab).folder
  local text
  if lab.file == 'kernel.cu' then
    text = programs.answer(string.format(
      'tools/diff/default-arm.sh --marked %s %s', folder,
      table.concat(lab.keeps, ' ')))
  else
    text = files.read(folder .. '/' .. lab.file)
  end
  if not text then files.stop('%s/%s cannot be read.', folder, lab.file) end
  return without_empty(text)
end

function skeleton.of(lab)
  local text = skeleton.solution(lab)
  for _, region in ipairs(lab.empties) do
    text = skeleton.replace(text, region, string.format(
      '// Yours: make %s says what belongs here.\n%s', lab.name,
      lab.stubs[region]))
  end
  return text
end

return skeleton
