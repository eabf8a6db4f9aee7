-- What a teacher looks for around listings and drawings: each chapter has a
-- drawing, and what stands behind listings explains them.
local labels = require 'text.labels'
local report = require 'common.report'
local around_listings = {}

-- Fewer new lines than these need no words of their own.
local FEW = 6
-- Words that new lines need behind them: one for so many lines, some more for
-- each that is hard, up to a paragraph.
local LINES_A_WORD, WORDS_A_HARD_LINE, PARAGRAPH = 2, 2, 60

-- What opens and closes a box, such as one of the reader's own questions.
local function is_box(raw)
  return raw:find '^<div class="box' or raw:find '^<p class="box' or
    raw == '</div>'
end

-- The pieces of a chapter in their order: {kind = 'listing', 'drawing',
-- 'table', 'text', 'box', 'heading' or 'other'}; a frame
-- has its id, caption and lines, a text its words.
local function pieces_of(blocks)
  local list, frame = {}, nil
  for _, block in ipairs(blocks) do
    local raw = block.t == 'RawBlock' and block.text
    if raw and raw:find '^<figure ' then
      frame = { kind = raw:match 'class="(%l+)', id = raw:match ' id="([^"]*)"',
        lines = {}, caption = '' }
      list[#list + 1] = frame
    elseif raw and raw:find '^</figure>' then
      frame = nil
    elseif frame then
      if block.t == 'Plain' then
        frame.caption = pandoc.utils.stringify(block)
      end
      for line in (raw or ''):gmatch('<span class="line[^\n]*') do
        table.insert(frame.lines, line)
      end
    else
      list[#list + 1] = { kind = block.t == 'Header' and 'heading'
        or not raw and 'text' or is_box(raw) and 'box' or 'other',
        text = not raw and pandoc.utils.stringify(block) or '' }
    end
  end
  return list
end

local function is_new(line) return line:find '^<span class="line[%w ]* new' or
  line:find '^<span class="line[%w ]*added' end

-- How many words the new lines of a listing need.
local function needed(listing, is_hard)
  local new, hard = 0, 0
  for _, line in ipairs(listing.lines) do
    if is_new(line) then
      new, hard = new + 1, hard + (is_hard(line) and 1 or 0)
    end
  end
  return new, new / LINES_A_WORD + hard * WORDS_A_HARD_LINE
end

local function words_in(text) return select(2, text:gsub('%S+', '')) end

-- The words from a piece on, and what ends them; drawings, tables and boxes may
-- stand between.
local PASSES = { text = true, drawing = true, table = true, box = true }
local function said_from(list, index)
  local said = 0
  while list[index] and PASSES[list[index].kind] do
    said = said + words_in(list[index].text or '')
    index = index + 1
  end
  return said, list[index] and list[index].kind
end

-- Listings in a row share what is said behind them.
local function check_listings(list, is_hard)
  local new, words = 0, 0
  for index, piece in ipairs(list) do
    if piece.kind == 'listing' then
      local its_new, its_words = needed(piece, is_hard)
      new, words = new + its_new, words + its_words
      local said, ending = said_from(list, index + 1)
      if said > 0 or ending ~= 'listing' then
        local least = math.ceil(math.min(words, PARAGRAPH))
        if new >= FEW and said < least then
          report.at(labels.by_id[piece.id].where, '%d words stand behind %d '
            .. 'new lines: at least %d should say what to notice', said, new,
            least)
        end
        new, words = 0, 0
      end
    end
  end
end

-- "This is the loop." names a listing a second time, and explains nothing.
local function names_only(text)
  return text:find '^This is ' or text:find '^These are '
end

local function check_captions(list)
  for index, piece in ipairs(list) do
    if piece.lines then
      local where = labels.by_id[piece.id].where
      local behind = list[index + 1] or {}
      local caption = piece.caption:gsub('^%S+\u{a0}%S+ ', '')
      for _, text in ipairs { caption, behind.text or '' } do
        if names_only(text) then
          report.at(where, '"%s ...": say what to notice, and not what it is',
            text:match '^%S+ %S+ %S*')
        end
      end
    end
  end
end

-- page: a chapter; is_hard(line): is a line of code hard to read?
function around_listings.check(page, is_hard)
  local list, drawn = pieces_of(page.blocks), false
  for _, piece in ipairs(list) do
    drawn = drawn or piece.kind == 'drawing'
  end
  if not drawn then
    report.line(page.file, 1, 'this chapter has no drawing')
  end
  check_captions(list)
  check_listings(list, is_hard)
end

return around_listings
