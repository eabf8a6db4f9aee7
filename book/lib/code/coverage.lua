-- The literate rule: what is marked is shown, and every line of every kernel is
-- shown where it is new.
local difference = require 'code.difference'
local files = require 'common.files'
local listing = require 'code.listing'
local regions = require 'code.regions'
local report = require 'common.report'
local coverage = {}

local function stage_folders()
  local list = files.matching('(stage%d+_[%w_]+)/kernel%.cu')
  table.sort(list, function(a, b)
    return tonumber(a:match('%d+')) < tonumber(b:match('%d+'))
  end)
  return list
end

-- Every file that may hold regions, and those that are cited.
local function marked_files(stages)
  local list = { 'Makefile' }
  local folders = { 'common', 'floor', 'libfp8attention', 'tools',
    table.unpack(stages) }
  for _, folder in ipairs(folders) do
    table.move(files.below(folder), 1, #files.below(folder), #list + 1, list)
  end
  local known = {}
  for _, path in ipairs(list) do known[path] = true end
  for path in pairs(listing.cited) do
    if not known[path] then list[#list + 1] = path end
  end
  return list
end

local function same_lines(a, b)
  if #a ~= #b then return false end
  for index = 1, #a do
    if a[index].text ~= b[index].text then return false end
  end
  return true
end

-- A kernel repeats the previous stage's unchanged regions, shown there.
local function unchanged(source, name, previous)
  local region = previous and previous.regions[name]
  return region and same_lines(source.regions[name].lines, region.lines)
end

local function check_cited(source, previous)
  local cited = listing.cited[source.path] or {}
  for _, name in ipairs(source.names) do
    if not cited[name] and not unchanged(source, name, previous) then
      report.line(source.path, source.regions[name].line,
        'region "%s" is cited by no chapter', name)
    end
  end
end

local function texts_of(source)
  local texts = {}
  for index, line in ipairs(source.lines) do texts[index] = line.text end
  return texts
end

-- The lines of a kernel that the previous stage's does not have.
local function new_lines(source, previous)
  if not previous then return source.lines end
  local list = {}
  for _, step in ipairs(difference.of(texts_of(previous), texts_of(source))) do
    if step[1] == '+' then list[#list + 1] = source.lines[step[3]] end
  end
  return list
end

local function is_shown(line, cited, chapter, also)
  local function by(name)
    local files = cited[name] or {}
    return files[chapter] or also and files[also]
  end
  if by('*') then return true end
  for name in pairs(line.inside) do
    if by(name) then return true end
  end
  return false
end

local function check_shown(source, previous, chapter, also)
  local cited = listing.cited[source.path] or {}
  for _, line in ipairs(new_lines(source, previous)) do
    if line.text:find('%S') and not is_shown(line, cited, chapter, also) then
      report.line(source.path, line.number,
        'this line is in no region that %s cites', chapter)
    end
  end
end

-- chapter_of: stage folder -> its chapter's file; also_of: -> that of a second
-- chapter which may show lines of its kernel.
function coverage.check(chapter_of, also_of)
  local stages, previous_of, kernels = stage_folders(), {}, {}
  local previous
  for _, stage in ipairs(stages) do
    local path = stage .. '/kernel.cu'
    local source = regions.of(path)
    kernels[path], previous_of[path] = stage, previous
    regions.check_width(source)
    if chapter_of[stage] then
      check_shown(source, previous, chapter_of[stage], also_of[stage])
    else
      report.line('chapters/book.yaml', 1, 'no chapter has "stage: %s"', stage)
    end
    previous = source
  end
  for _, path in ipairs(marked_files(stages)) do
    local source = regions.of(path)
    if source then check_cited(source, previous_of[path]) end
  end
end

-- Recorded output and drawn figures that no chapter shows.
function coverage.check_unused(pattern, used)
  for _, path in ipairs(files.matching(pattern)) do
    if not used[path] then
      report.line(path, nil, 'no chapter shows this file')
    end
  end
end

return coverage
