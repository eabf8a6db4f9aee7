-- How long each chapter is, beside how long one should be.
local format = require 'common.format'
local page_html = require 'write.page_html'

local LIMITS = { 2500, 6, 60 }
local ROW = '%-26.26s %9s  %9s  %9s'

-- Words that are read: no code, no drawings, no figures of tables.
local function words_of(body)
  local text = page_html.plain((body:gsub('<pre.-</pre>', ' ')
    :gsub('<svg.-</svg>', ' '):gsub('<td[^>]*>[^%a]-</td>', ' ')))
  return select(2, text:gsub('%f[%S]%S*%w', ''))
end

-- Lines in listings that are marked as new, or all where no mark is.
local function new_lines(body)
  local count = 0
  for code in body:gmatch('<pre class="code numbered.-</pre>') do
    local all, new = select(2, code:gsub('data%-n="%d', '')), 0
    for class in code:gmatch('class="line (%l+)') do
      if class == 'new' or class == 'added' then new = new + 1 end
    end
    count = count + (new > 0 and new or all)
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
        new_lines(page.body))
    end
  end
end
