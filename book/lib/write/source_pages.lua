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

-- place: of the listing that shows some of it, if any; told: what it does,
-- unless that was said before.
local function run_html(place, told, html)
  local why = told and told.body .. '\n' or ''
  if place then
    why = why .. string.format('<p class="why"><a href="%s">%s</a> %s</p>\n',
      address(place), escape(place.title), escape(place.about))
  end
  return string.format('<div class="run"%s>\n%s<pre class="code" tabindex="0">'
    .. '<code>%s</code></pre>\n</div>',
    told and ' id="' .. told.id .. '"' or '', why, table.concat(html, '\n'))
end

-- Neighbouring lines that the same listing or sentence explains stand together.
local function runs_html(lines, path)
  local html, said, place = {}, {}, nil
  local coloured = code_html.coloured(language_of(path), lines)
  return format.each(lines, '\n', function(line, index)
    html[#html + 1] = line_html(line, coloured[index])
    local following = lines[index + 1]
    place = place or leads_on(line) and line.place
    if following and (following.told or following.place)
        == (line.told or line.place) then
      return nil
    end
    local told = line.told and not said[line.told] and line.told
    said[line.told or ''] = true
    local run = run_html(place, told, html)
    html, place = {}, nil
    return run
  end)
end

local function introduction(previous, chapter, told)
  local words = { told and 'Every line of this file, and what each part of it '
    .. 'does. Where the chapter shows a line, its number leads there.'
    or 'Every line of this file. With the lines stands the listing '
    .. 'that explains them; a line\u{2019}s number leads there too.' }
  if previous then
    words[2] = string.format('Lines marked + are not in '
      .. '<a href="%s">%s</a>.', kernels.page(previous), escape(previous))
  end
  if chapter then
    words[#words + 1] = string.format('The chapter is <a href="%s">%s</a>.',
      chapter.page, escape(chapter.title))
  end
  words[#words + 1] = 'Missing numbers are those of the marks that cut the '
    .. 'file into listings.'
  return '<p>' .. table.concat(words, ' ') .. '</p>\n'
end

local function page_for(path, chapter)
  local told = coverage.told[path]
  local lines = coverage.lines(sources.of(path), chapter and chapter.file)
  return { page = kernels.page(path), title = path, path = path, of = chapter,
    stage = kernels.number(path),
    class = told and 'source-page told' or 'source-page',
    about = 'Every line of ' .. path .. ', with links to the listings that '
      .. 'explain it.',
    body = string.format('<h1><code>%s</code></h1>\n%s'
      .. '<div class="runs">%s</div>', escape(path:gsub('/', '%0\u{200b}')),
      introduction(kernels.before(path), chapter, told),
      runs_html(lines, path)) }
end

-- The pages of the sources; chapters: those of the book, with their stages.
function source_pages.make(chapters)
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
    list[index] = page_for(path, chapter)
    if chapter then chapter.source_page = list[index] end
  end
  return list
end

return source_pages
