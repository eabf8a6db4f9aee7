-- How long each chapter is, beside how long one should be.
local arms = require 'code.arms'
local explained_lines = require 'code.explained_lines'
local format = require 'common.format'
local plain_text = require 'write.plain_text'
local regions = require 'code.regions'
local repeats = require 'code.repeats'
local budget = {}

local LIMITS = { 2500, 6, 60 }
local ROW = '%-26.26s %9s  %9s  %9s'

-- Words that are read: no code, no drawings, no figures of tables.
local function words_of(body)
  local text = plain_text((body:gsub('<pre.-</pre>', ' ')
    :gsub('<svg.-</svg>', ' '):gsub('<td[^>]*>[^%a]-</td>', ' ')))
  local _, count = text:gsub('%f[%S]%S*%w', '')
  return count
end

-- Lines in the listings of a page that the stage before does not have.
local function new_lines(page)
  local count = 0
  for path, places in pairs(explained_lines.shown) do
    local source = regions.of(path)
    local repeated = (repeats.of(source) or { read = {} }).read
    for _, line in ipairs(source.lines) do
      local is_shown = false
      for _, place in ipairs(places) do
        is_shown = is_shown or place.page == page.page
          and place.has[line.number]
      end
      if is_shown and not repeated[line.number]
          and not arms.is_blank(line.text) then
        count = count + 1
      end
    end
  end
  return count
end

local function cells(counts)
  local texts = {}
  for index, count in ipairs(counts) do
    texts[index] = format.value(count, "%'d")
      .. (count > LIMITS[index] and '!' or ' ')
  end
  return table.unpack(texts)
end

-- Prints a line for each chapter; what is over its budget has a mark.
function budget.print(list)
  print(ROW:format('', 'words ', 'listings ', 'new lines '))
  print(ROW:format('a chapter, at most', cells(LIMITS)))
  for _, page in ipairs(list) do
    if (page.file or ''):match('^chapters/[%dA-Z]') then
      local _, listings = page.body:gsub('<figure class="listing"', '')
      print(ROW:format((page.page:gsub('%.html$', '')),
        cells { words_of(page.body), listings, new_lines(page) }))
    end
  end
end

return budget
