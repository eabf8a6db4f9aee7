-- How long each chapter is, beside how long one should be.
local coverage = require 'code.coverage'
local format = require 'common.format'
local page_html = require 'write.page_html'
local sources = require 'code.sources'

local LIMITS = { 2500, 6, 60 }
local ROW = '%-26.26s %9s  %9s  %9s'

-- Words that are read: no code, no drawings, no figures of tables.
local function words_of(body)
  local text = page_html.plain((body:gsub('<pre.-</pre>', ' ')
    :gsub('<svg.-</svg>', ' '):gsub('<td[^>]*>[^%a]-</td>', ' ')))
  return select(2, text:gsub('%f[%S]%S*%w', ''))
end

-- Lines in the listings of a page that the stage before does not have.
local function new_lines(page)
  local count = 0
  for path, places in pairs(coverage.shown) do
    local source, seen = sources.of(path), {}
    for _, place in ipairs(places) do
      for number in pairs(place.page == page.page and place.has or {}) do
        seen[number] = true
      end
    end
    for _, line in ipairs(source.lines) do
      if seen[line.number] and not sources.is_old(source, line) then
        count = count + 1
      end
    end
  end
  return count
end

local function row(name, ...)
  local cells = { ... }
  for index, count in ipairs(cells) do
    cells[index] = format.value(count, "%'d")
      .. (count > LIMITS[index] and '!' or ' ')
  end
  print(ROW:format(name, table.unpack(cells)))
end

-- Prints a line for each chapter; what is over its budget has a mark.
return function(list)
  print(ROW:format('', 'words ', 'listings ', 'new lines '))
  row('a chapter, at most', table.unpack(LIMITS))
  for _, page in ipairs(list) do
    if (page.file or ''):match('^chapters/[%dA-Z]') then
      row(page.page:gsub('%.html$', ''), words_of(page.body),
        select(2, page.body:gsub('<figure class="listing"', '')),
        new_lines(page))
    end
  end
end
