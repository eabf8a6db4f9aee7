-- A page for each source of which the book shows lines: all of its lines, each
-- with a link to the listing that explains it. Kernels come first, by stage.
local code_html = require 'code.code_html'
local coverage = require 'code.coverage'
local format = require 'common.format'
local kernels = require 'data.kernels'
local sources = require 'code.sources'
local source_pages = {}

local escape = format.escape

local function language_of(path)
  if path:match('%.cuh?$') then return 'cuda' end
  if path:match('%.[ch]$') then return 'c' end
  if path:match('%.sh$') then return 'sh' end
  return path:match('Makefile$') and 'makefile' or 'default'
end

local function address(place) return place.page .. '#' .. place.id end

-- Does a line lead to a listing, or only to the sentence above it?
local function leads_on(line) return line.place and line.place ~= line.told end

-- The number is drawn by the style, so that copies of the code lack it; by
-- keyboard and voice the link beside the lines leads to the same place.
local function line_html(line, code)
  local link = string.format('<a class="n" data-n="%d"%s></a>', line.number,
    leads_on(line) and string.format(' href="%s" tabindex="-1" '
      .. 'aria-hidden="true"', address(line.place)) or '')
  return string.format('<span class="line%s" id="L%d">%s%s</span>',
    line.is_new and ' added' or '', line.number, link, code)
end

-- Neighbouring lines that the same listing or sentence explains stand together:
-- {code, and of the sentence, unless it was said before, id and told, of the
-- listing that shows some of them place, title and about}.
local function runs_of(lines, path)
  local runs, run, code, said = {}, {}, {}, {}
  local coloured = code_html.coloured(language_of(path), lines)
  for index, line in ipairs(lines) do
    local following, place, told = lines[index + 1], line.place, line.told
    code[#code + 1] = line_html(line, coloured[index])
    if leads_on(line) and not run.place then
      run.place, run.title, run.about = address(place), escape(place.title),
        escape(place.about)
    end
    if not following
        or (following.told or following.place) ~= (told or place) then
      if told and not said[told] then run.id, run.told = told.id, told.body end
      said[told or ''] = true
      run.code = table.concat(code, '\n')
      runs[#runs + 1] = run
      run, code = {}, {}
    end
  end
  return runs
end

local function page_for(path, chapter, template)
  local is_told, previous = coverage.told[path] ~= nil, kernels.before(path)
  local lines = coverage.lines(sources.of(path), chapter and chapter.file)
  return { page = kernels.page(path), title = path, path = path, of = chapter,
    stage = kernels.number(path),
    class = is_told and 'source-page told' or 'source-page',
    about = 'Every line of ' .. path .. ', with links to the listings that '
      .. 'explain it.',
    body = format.fill(template, { runs = runs_of(lines, path),
      path = escape(path:gsub('/', '%0\u{200b}')), is_told = is_told,
      previous = previous and { page = kernels.page(previous),
        path = escape(previous) },
      chapter = chapter and { page = chapter.page,
        title = escape(chapter.title) } }) }
end

-- The pages of the sources; chapters: those of the book, with their stages;
-- template: of a page's text.
function source_pages.make(chapters, template)
  local by_stage, list = {}, {}
  for _, chapter in ipairs(chapters) do
    if chapter.stage then by_stage[kernels.path(chapter.stage)] = chapter end
  end
  local paths = {}
  for path in pairs(coverage.shown) do paths[#paths + 1] = path end
  table.sort(paths, function(a, b)
    local one = kernels.number(a) or math.huge
    local other = kernels.number(b) or math.huge
    return one < other or one == other and a < b
  end)
  for index, path in ipairs(paths) do
    local chapter = by_stage[path]
    list[index] = page_for(path, chapter, template)
    if chapter then chapter.source_page = list[index] end
  end
  return list
end

return source_pages
