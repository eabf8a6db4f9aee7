-- Finds figures with a measurement unit that were typed by hand: "12.3 us",
-- "40 %", "1.8x". Such a figure must come from a result, or say what it is.
-- And tells whether what an author has worked out adds up.
local report = require 'common.report'
local typed = {}

typed.MESSAGE = 'the figure "%s" is typed by hand: take it from a result, or '
  .. 'mark it .predicted, .cited or .calc'

-- Longest first, so that "ms" is not read as "m".
local NAMES = {
  'nanoseconds', 'microseconds', 'milliseconds', 'nanosecond', 'microsecond',
  'millisecond', 'seconds', 'second', 'minutes', 'percentage points', 'percent',
  'TFLOP/s', 'GFLOP/s', 'PFLOP/s', 'TFLOPS', 'GFLOPS', 'PFLOPS', 'TFLOPs',
  'TiB/s', 'GiB/s', 'MiB/s', 'TB/s', 'GB/s', 'MB/s', 'kB/s', 'tokens/s',
  'GHz', 'MHz', 'cycles', 'cycle', 'fold',
  'times faster', 'times slower', 'times as', 'times more', 'times less',
  'watts', 'Watt',
  'ns', 'us', '\u{b5}s', '\u{3bc}s', 'ms', '\u{b0}C', 's', 'W', 'J', '%',
}

local function is_word(text) return text:find('^[%w_\128-\255]') ~= nil end

-- The unit that a text begins with, behind a space. "2x" and "2×" are factors,
-- "16x16" and "16 × 64" are shapes; "1990s" are no seconds.
local function unit_at(text)
  local after = text:match('^x(.*)$') or text:match('^%s?\u{d7}(.*)$')
  if after and not after:find('^%s*%d') and not is_word(after) then
    return 'x'
  end
  local rest = text:gsub('^ ', ''):gsub('^\u{a0}', ''):gsub('^\u{202f}', '')
    :gsub('^%-', '')
  for _, unit in ipairs(NAMES) do
    if rest:sub(1, #unit) == unit and not is_word(rest:sub(#unit + 1)) and
        not (unit == 's' and #rest == #text) then
      return unit
    end
  end
end

-- Calls found(figure) for each typed figure of a text.
function typed.find(text, found)
  for first, number in text:gmatch('()(%d[%d.,]*)') do
    number = number:gsub('[.,]+$', '')
    local before = text:sub(math.max(1, first - 2), first - 1)
    local after = first + #number
    local unit = not before:find('[%a_]%-?$') and
      unit_at(text:sub(after, after + 40))  -- more than any unit has
    if unit then found(number .. ' ' .. unit) end
  end
end

-- Reports each typed figure of a text that stands at one place.
function typed.check(text, where)
  typed.find(text, function(figure)
    report.at(where, typed.MESSAGE, figure)
  end)
end

-- TeX as the words that it sets, for the same search.
function typed.plain_tex(tex)
  return (tex:gsub('\\mu%s*', '\u{b5}'):gsub('\\[,;:! ]', ' ')
    :gsub('\\%%', '%%'):gsub('\\%a+%s*{([^{}]*)}', '%1'):gsub('~', ' ')
    :gsub('[{}]', ''))
end

-- What units stand for, so that "3 × 512 KiB = 1.5 MiB" is right.
local UNITS = {
  ['%'] = 0.01, percent = 0.01, ms = 1e-3, us = 1e-6, ns = 1e-9,
  ['\u{b5}s'] = 1e-6, ['\u{3bc}s'] = 1e-6,
  MHz = 1e6, GHz = 1e9, ['GB/s'] = 1e9, ['TB/s'] = 1e12, ['TFLOP/s'] = 1e12,
  MB = 1e6, GB = 1e9, KiB = 2 ^ 10, MiB = 2 ^ 20, GiB = 2 ^ 30,
}
-- Half a digit; and a figure may come of operands that were rounded.
local HALF, CLOSE = 0.51, 2e-4
local WORD = '^[%a\u{b5}\u{3bc}][%w\u{b5}\u{3bc}/-]*'
local SIGNS = {
  ['\u{2212}'] = '-', ['\u{d7}'] = '*', ['\u{b7}'] = '*', ['\u{b2}'] = '^2',
  ['\u{2308}'] = 'ceil(', ['\u{2309}'] = ')', ['\u{230a}'] = 'floor(',
  ['\u{230b}'] = ')', ['+'] = '+', ['-'] = '-', ['/'] = '/', ['^'] = '^',
  ['('] = '(', [')'] = ')',
}

local function value_of(words)
  local code = load('return ' .. table.concat(words, ' '), 'a side', 't',
    { ceil = math.ceil, floor = math.floor })
  local fine, value = pcall(code or error)
  return fine and type(value) == 'number' and value or nil
end

-- The value of a side as it stands, and in the units that it names; the worth
-- of its last digit. Nothing of a side that is no sum of numbers.
local function read(side)
  local plain, scaled, worth = {}, {}, 1
  local function add(word)
    plain[#plain + 1], scaled[#scaled + 1] = word, word
  end
  side = side:gsub('\u{a0}', ' '):gsub('\u{202f}', ' ')
  while side ~= '' do
    local number = side:match('^%d[%d,.]*')
    local sign = side:match('^' .. utf8.charpattern)
    local word = number and number:gsub('[,.]+$', '')
      or SIGNS[sign] and sign or side:match(WORD) or side:match('^[ %%]')
    if not word then return end
    side = side:sub(#word + 1)
    if number then
      local power = side:match('^[eE][+-]?%d+') or ''
      side = side:sub(#power + 1)
      worth = tonumber('1' .. power) / 10 ^ #(word:match('%.(%d+)$') or '')
      add(word:gsub(',', '') .. power)
    elseif SIGNS[word] then
      add(SIGNS[word])
    else
      if word == 'mod' then add('%') end
      local last = scaled[#scaled]
      if UNITS[word] and last then
        scaled[#scaled] = string.format(
          last == ')' and '%s * %.17g' or '(%s * %.17g)', last, UNITS[word])
      end
    end
  end
  return value_of(plain), value_of(scaled), worth
end

-- A unit may stand on the right alone: "3 × 4 = 12 ms".
local function agree(left, left_scaled, right, right_scaled, worth)
  local room = math.max(HALF * worth, CLOSE * math.abs(right))
  local unit = right ~= 0 and right_scaled and right_scaled / right or 1
  return math.abs((left_scaled or left) / unit - right) <= room or
    left == left_scaled and math.abs(left - right) <= room
end

-- Reports each equals sign of a text that is wrong, as in "4 × 32 = 129": its
-- two sides are compared, to the last digit on the right.
function typed.check_sums(text, where)
  local left, left_scaled, before = nil, nil, ''
  for side in (text .. '='):gmatch '([^=]*)=' do
    local right, right_scaled, worth = read(side)
    local spelled = side:match '^%s*(.-)%s*$'
    if left and right and
        not agree(left, left_scaled, right, right_scaled, worth) then
      report.at(where, 'does not add up: %s = %s; the left side is %.6g',
        before, spelled, left)
    end
    left, left_scaled, before = right, right_scaled, spelled
  end
end

return typed
