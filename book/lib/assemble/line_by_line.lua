-- What each region of a kernel does, from chapters/lines/STAGE.md, for the page
-- with all of its lines.
local commonmark = require 'read.commonmark'
local definition_lists = require 'read.definition_lists'
local explained_lines = require 'code.explained_lines'
local files = require 'common.files'
local kernels = require 'data.kernels'
local regions = require 'code.regions'
local report = require 'common.report'
local results = require 'data.results'
local line_by_line = {}

-- The sentences of a stage: for each region {page, id, blocks, ...}.
local function sentences(stage, path, entry, read_blocks)
  local kernel, things, told = kernels.path(stage), {}, {}
  local context = { file = path, line = 1, page = kernels.page(kernel),
    count = {}, sections = {}, number = '0', blocks = read_blocks }
  for name, region in pairs(regions.of(kernel).regions) do
    things[name] = { file = kernel, line = region.line }
  end
  results.part = entry.results
  local list = definition_lists.read(
    { content = commonmark.read(files.text(path)) }, context)
  results.part = nil
  definition_lists.compare('region', list, things, path)
  for _, item in ipairs(list) do
    told[item.name] = { page = context.page, id = 'r-' .. item.name,
      blocks = item.blocks, file = 'chapters/' .. entry.file, about = item.name,
      title = 'Stage ' .. stage:match('%d+') .. ', line by line' }
  end
  return told
end

-- The sentences of all stages that have any, as pages to be resolved and
-- written. read_blocks: as chapter.blocks.
function line_by_line.read(book, read_blocks)
  local pages, known = {}, {}
  for _, entry in ipairs(book.chapters) do
    local path = 'chapters/lines/' .. (entry.stage or '') .. '.md'
    known[path] = true
    if entry.stage and files.exists(path) then
      local told = sentences(entry.stage, path, entry, read_blocks)
      explained_lines.told[kernels.path(entry.stage)] = told
      for _, sentence in pairs(told) do pages[#pages + 1] = sentence end
    end
  end
  for _, path in ipairs(files.matching('(chapters/lines/.*)')) do
    if not known[path] then
      report.line(path, nil, 'no stage that has a chapter is named so')
    end
  end
  return pages
end

return line_by_line
