-- Checks of the prose. texts: what paragraphs.lua has read, each {text, file,
-- page, starts}; in a text \1 stands for code, a formula or a figure.
local files = require 'common.files'
local paragraphs = require 'text.paragraphs'
local report = require 'common.report'
local terms = require 'text.terms'
local language = {}

local MOST_WORDS, MOST_MINUTES = 40, 40
local WORDS_A_MINUTE, LINES_A_MINUTE, HARD_LINES_A_MINUTE = 200, 40, 10
-- What makes a line of code hard: it moves data between lanes, or starts what
-- goes on by itself.
local HARD = { 'asm', 'mma', 'ldmatrix', 'stmatrix', 'barrier', 'tma_',
  '__pipeline', '__shfl', '__byte_perm', 'fence' }
local ABBREVIATIONS = { ['e.g.'] = true, ['i.e.'] = true, ['vs.'] = true,
  ['rel.'] = true, ['std.'] = true }

local function report_at(text, position, ...)
  report.line(text.file, paragraphs.line_at(text, position), ...)
end

-- A word ends a sentence with . ! or ?, whatever closes behind it.
local function ends_sentence(word)
  return word:find('[.!?]["\')%]]*$') and not ABBREVIATIONS[word:lower()]
end

function language.check_sentences(texts)
  for _, text in ipairs(texts) do
    local count, first = 0, nil
    for position, word in (text.text .. ' .'):gmatch('()(%S+)') do
      if word:find('[%w\1\128-\255]') then
        count, first = count + 1, first or position
      end
      if count > 0 and ends_sentence(word) then
        if count > MOST_WORDS then
          report_at(text, first + 1, 'a sentence of %d words: "%s ..."; %d are '
            .. 'the most', count,
            text.text:sub(first, first + 40):gsub('\1', '\u{2026}'), MOST_WORDS)
        end
        count, first = 0, nil
      end
    end
  end
end

local function lines_of(path)
  local list = {}
  for number, line in ipairs(files.lines(files.text(path) or '')) do
    if line ~= '' then list[#list + 1] = { text = line, number = number } end
  end
  return list
end

-- No chapter names a term before the one that explains it.
function language.check_terms(texts, chapters, all, early)
  local place, allowed = {}, {}
  for index, page in ipairs(chapters) do place[page.file] = index end
  local list = early and lines_of(early) or {}
  for _, line in ipairs(list) do allowed[line.text] = line end
  for _, text in ipairs(texts) do
    for _, term in ipairs(all) do
      local here, there = place[text.file], place[term.file]
      local first = here and there and here < there
        and terms.find(text.text:lower(), term)
      local line = first and allowed[text.file .. ' ' .. term.text]
      if line then
        line.used = true
      elseif first then
        report_at(text, first + 1, '"%s" is explained only in %s, line %d',
          term.text, term.file, term.line)
      end
    end
  end
  for _, line in ipairs(list) do
    if not line.used then
      report.line(early, line.number, 'this exception is not needed')
    end
  end
end

-- Words with the text and place where each is first; no names of things that
-- have digits, dots or underscores in them, and no references.
local function words_in(texts)
  local lines, places = {}, {}
  for _, text in ipairs(texts) do
    local plain = text.text:gsub('@%l+%-[%w-]+', function(reference)
      return ('\1'):rep(#reference)
    end):gsub('\xe2..', function(sign)
      return sign == '\u{2019}' and sign or '\1\1\1'
    end)
    for position, word in plain:gmatch("()([%w_.'\128-\255]+)") do
      word = word:gsub('\u{2019}', "'"):gsub("^'", ''):gsub("[.']+$", '')
        :gsub("'s$", '')
      if not word:find('[%d_.]') and not places[word] then
        places[word] = { text, position }
        lines[#lines + 1] = word
      end
    end
  end
  return lines, places
end

-- A word of the list stands for itself, and in lower case for any case.
function language.check_spelling(texts, path)
  local known, used = {}, {}
  local list = lines_of(path)
  for index, line in ipairs(list) do
    known[line.text] = line
    if index > 1 and line.text <= list[index - 1].text then
      report.line(path, line.number, '"%s" is not in order', line.text)
    end
  end
  local words, places = words_in(texts)
  local unknown = pandoc.pipe('aspell', { 'list', '--lang=en_GB-ise',
    '--encoding=utf-8', '--ignore=1' }, table.concat(words, '\n') .. '\n')
  for word in unknown:gmatch('[^\n]+') do
    local line = known[word] or known[word:lower()]
    if line then
      used[line.text] = true
    else
      local place = places[word] or { texts[1], 1 }
      report_at(place[1], place[2] + 1,
        'is "%s" a word? If it is, add it to %s', word, path)
    end
  end
  for _, line in ipairs(list) do
    if not used[line.text] then
      report.line(path, line.number, 'no text needs "%s"', line.text)
    end
  end
end

function language.is_hard(line)
  local code = line:gsub('<[^>]*>', '')
  for _, word in ipairs(HARD) do
    if code:find(word, 1, true) then return true end
  end
  return false
end

local function lines_shown(blocks)
  local count, hard = 0, 0
  pandoc.Blocks(blocks):walk { RawBlock = function(block)
    for line in block.text:gmatch('<span class="line[^\n]*') do
      count = count + 1
      if language.is_hard(line) then hard = hard + 1 end
    end
  end }
  return count, hard
end

-- How long a chapter takes to read, in a line; too long is an error.
function language.reading_time(page, texts)
  local words = 0
  for _, text in ipairs(texts) do
    if text.page == page.page then
      words = words + select(2, text.text:gsub('%S+', ''))
    end
  end
  local lines, hard = lines_shown(page.blocks)
  local minutes = words / WORDS_A_MINUTE + (lines - hard) / LINES_A_MINUTE +
    hard / HARD_LINES_A_MINUTE
  if minutes > MOST_MINUTES then
    report.line(page.file, 1, 'this chapter takes %.1f minutes to read; %d are '
      .. 'the most', minutes, MOST_MINUTES)
  end
  return string.format('%5.1f minutes  %5d words  %4d lines of code  %s\n',
    minutes, words, lines, page.file)
end

return language
