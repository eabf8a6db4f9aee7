-- A page for each source of which the book shows lines: all of its lines, each
-- with a link to the listing that explains it. Kernels come first, by stage.
local explained_lines = require 'code.explained_lines'
local format = require 'common.format'
local highlight = require 'code.highlight'
local kernels = require 'data.kernels'
local regions = require 'code.regions'
local source_pages = {}

local escape = format.escape

local function stage_of(path)
  return (kernels.stage(path) or ''):match('^stage%d+')
end

local function stage_number(path)
  return tonumber((stage_of(path) or ''):match('%d+')) or math.huge
end

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
local function run_html(place, told, html, chapter)
  local why = told and told.body .. '\n' or ''
  if place then
    why = why .. string.format('<p class="why%s"><a href="%s">%s</a> %s</p>\n',
      place.file ~= chapter and ' earlier' or '', address(place),
      escape(place.title), escape(place.about))
  end
  return string.format('<div class="run"%s>\n%s<pre class="code" tabindex="0">'
    .. '<code>%s</code></pre>\n</div>',
    told and ' id="' .. told.id .. '"' or '', why, table.concat(html, '\n'))
end

-- Neighbouring lines that the same listing or sentence explains stand together.
local function runs_html(lines, path, chapter)
  local texts, runs, html, said, place = {}, {}, {}, {}, nil
  for index, line in ipairs(lines) do texts[index] = line.text end
  local coloured = highlight.lines(language_of(path), texts)
  for index, line in ipairs(lines) do
    html[#html + 1] = line_html(line, coloured[index])
    local following = lines[index + 1]
    place = place or leads_on(line) and line.place
    if not following or (following.told or following.place)
        ~= (line.told or line.place) then
      local told = line.told and not said[line.told] and line.told
      said[line.told or ''] = true
      runs[#runs + 1] = run_html(place, told, html, chapter)
      html, place = {}, nil
    end
  end
  return table.concat(runs, '\n')
end

local function introduction(previous, chapter, told)
  local words = { told and 'Every line of this file, and what each part of it '
    .. 'does. Where the chapter shows a line, its number leads there.'
    or 'Every line of this file. With the lines stands the listing '
    .. 'that explains them; a line\u{2019}s number leads there too.' }
  if previous then
    words[2] = string.format('Lines marked + are not in '
      .. '<a href="%s">%s</a>%s.', kernels.page(previous), escape(previous),
      told and '' or '; where a part has none of them, its link leads back to '
        .. 'where it was explained first')
  end
  if chapter then
    words[#words + 1] = string.format('The chapter is <a href="%s">%s</a>.',
      chapter.page, escape(chapter.title))
  end
  words[#words + 1] = 'Missing numbers are those of the marks that cut the '
    .. 'file into listings.'
  return '<p>' .. table.concat(words, ' ') .. '</p>\n'
end

local function page_for(path, lines, previous, chapter)
  local title = escape(path:gsub('/', '%0\u{200b}'))
  local told = explained_lines.told[path]
  return { page = kernels.page(path), title = path, path = path, of = chapter,
    is_kernel = stage_of(path) ~= nil,
    class = told and 'source-page told' or 'source-page',
    about = 'Every line of ' .. path .. ', with links to the listings that '
      .. 'explain it.',
    body = string.format('<h1><code>%s</code></h1>\n%s'
      .. '<div class="runs">%s</div>', title,
      introduction(previous, chapter, told),
      runs_html(lines, path, chapter and chapter.file)) }
end

-- The pages of the sources; chapters: those of the book, with their stages.
function source_pages.make(chapters)
  local by_stage, list = {}, {}
  for _, chapter in ipairs(chapters) do
    if chapter.stage then by_stage[kernels.path(chapter.stage)] = chapter end
  end
  local paths = explained_lines.paths()
  table.sort(paths, function(a, b)
    local one, other = stage_number(a), stage_number(b)
    if one ~= other then return one < other end
    return a < b
  end)
  local previous, old
  for _, path in ipairs(paths) do
    if not stage_of(path) then previous, old = nil, nil end
    local chapter = by_stage[path]
    local lines = explained_lines.lines(regions.of(path),
      chapter and chapter.file, old)
    list[#list + 1] = page_for(path, lines, previous, chapter)
    if chapter then chapter.source_page = list[#list] end
    previous, old = path, lines
  end
  return list
end

-- A body in which the origin of each listing leads to its lines.
function source_pages.with_links(body)
  return (body:gsub('<span class="source" data%-at="(.-)#(L%d+)">(.-)</span>',
    function(path, line, text)
      return string.format('<a class="source" href="%s#%s" title="Open this '
        .. 'listing in the source">%s</a>', kernels.page(path), line, text)
    end))
end

return source_pages
