-- Finds figures with a measurement unit that were typed by hand: "12.3 us",
-- "40 %", "1.8x". Such a figure must come from a result, or say what it is.
local report = require 'common.report'
local typed = {}

typed.MESSAGE = 'the figure "%s" is typed by hand: take it from a result, or '
  .. 'mark it .predicted, .cited or .calc'

-- Longest first, so that "ms" is not read as "m".
local units = {
  'nanoseconds', 'microseconds', 'milliseconds', 'nanosecond', 'microsecond',
  'millisecond', 'seconds', 'second', 'minutes', 'percentage points', 'percent',
  'TFLOP/s', 'GFLOP/s', 'PFLOP/s', 'TFLOPS', 'GFLOPS', 'PFLOPS', 'TFLOPs',
  'TiB/s', 'GiB/s', 'MiB/s', 'TB/s', 'GB/s', 'MB/s', 'kB/s', 'tokens/s',
  'GHz', 'MHz', 'cycles', 'cycle', 'fold',
  'times faster', 'times slower', 'times as', 'times more', 'times less',
  'watts', 'Watt',
  'ns', 'us', '\u{b5}s', '\u{3bc}s', 'ms', '\u{b0}C', 's', 'W', 'J', '%',
}

-- By their first byte: most words behind a number begin none.
local units_with = {}
for _, unit in ipairs(units) do
  local first = unit:byte()
  units_with[first] = units_with[first] or {}
  table.insert(units_with[first], unit)
end

local function is_word(char) return char:find('^[%w_\128-\255]') ~= nil end

-- "2x" and "2×" are factors, "16x16" and "16 × 64" are shapes.
local function is_factor(rest)
  local after = rest:match('^x(.*)$') or rest:match('^%s?\u{d7}(.*)$')
  return after and not after:find('^%s*%d') and not is_word(after)
end

local LONGEST = 40 -- bytes, of a space and a unit and what shows its end

local function unit_at(text)
  if is_factor(text) then return 'x' end
  local rest = text:gsub('^ ', ''):gsub('^\u{a0}', ''):gsub('^\u{202f}', '')
    :gsub('^%-', '')
  for _, unit in ipairs(units_with[rest:byte()] or {}) do
    local attached = unit == 's' and #rest == #text  -- "1990s"
    if rest:sub(1, #unit) == unit and not attached and
        not is_word(rest:sub(#unit + 1, #unit + 1)) then
      return unit
    end
  end
end

-- Calls found(position, figure) for each typed figure of a text.
function typed.find(text, found)
  local from = 1
  while true do
    local first, last = text:find('%d[%d.,]*', from)
    if not first then return end
    while text:sub(last, last):find('[.,]') do last = last - 1 end
    local before = text:sub(first > 2 and first - 2 or 1, first - 1)
    local in_word = before:find('[%a_]$') or before:find('[%a_]%-$')
    local unit = not in_word and unit_at(text:sub(last + 1, last + LONGEST))
    if unit then found(first, text:sub(first, last) .. ' ' .. unit) end
    from = last + 1
  end
end

-- Reports each typed figure of a text that stands at one place.
function typed.check(text, where)
  typed.find(text, function(_, figure)
    report.at(where, typed.MESSAGE, figure)
  end)
end

-- TeX as the words that it sets, for the same search.
function typed.plain_tex(tex)
  return (tex:gsub('\\mu%s*', '\u{b5}'):gsub('\\[,;:! ]', ' ')
    :gsub('\\%%', '%%'):gsub('\\%a+%s*{([^{}]*)}', '%1'):gsub('~', ' ')
    :gsub('[{}]', ''))
end

-- Whether what an author has worked out in the text adds up, as in
-- "4 × 32 = 128 cycles": two sides of an equals sign are compared, to the
-- last digit on the right. Of a side that is no sum of numbers nothing is said.
-- What units stand for, so that "3 × 512 KiB = 1.5 MiB" is right.
local UNITS = {
  ['%'] = 0.01, percent = 0.01, ms = 1e-3, us = 1e-6, ns = 1e-9,
  ['\u{b5}s'] = 1e-6, ['\u{3bc}s'] = 1e-6,
  MHz = 1e6, GHz = 1e9, ['GB/s'] = 1e9, ['TB/s'] = 1e12, ['TFLOP/s'] = 1e12,
  MB = 1e6, GB = 1e9, KiB = 2 ^ 10, MiB = 2 ^ 20, GiB = 2 ^ 30,
}
-- Half a digit; and a figure may come of operands that were rounded.
local HALF, CLOSE = 0.51, 2e-4

-- A pattern for what stands next, and what it is in Lua.
local WORD = '^[%a\u{b5}\u{3bc}][%w\u{b5}\u{3bc}/-]*'
local SIGNS = {
  ['\u{2212}'] = '-', ['\u{d7}'] = '*', ['\u{b7}'] = '*', ['\u{b2}'] = '^2',
  ['\u{2308}'] = 'ceil(', ['\u{2309}'] = ')', ['\u{230a}'] = 'floor(',
  ['\u{230b}'] = ')', ['+'] = '+', ['-'] = '-', ['/'] = '/', ['^'] = '^',
  ['('] = '(', [')'] = ')',
}

-- The number that begins a text, how far it goes, and its last digit's worth.
local function number_at(text)
  local whole = text:match '^%d[%d,]*'
  if not whole then return end
  whole = whole:gsub(',+$', '')
  local behind = text:sub(#whole + 1)
  local digits = behind:match '^%.(%d+)' or ''
  local power = behind:sub(digits == '' and 1 or #digits + 2)
    :match '^[eE][+-]?%d+' or ''
  local length = #whole + (digits == '' and 0 or #digits + 1) + #power
  local spelled = text:sub(1, length):gsub(',', '')
  return spelled, length, tonumber('1e-' .. #digits) *
    (power == '' and 1 or tonumber('1' .. power))
end

-- The value of a side as it stands, and in the units that it names; the worth
-- of its last digit.
local function read(side)
  local words, scaled, worth = {}, {}, 1
  local function add(word)
    words[#words + 1], scaled[#scaled + 1] = word, word
  end
  local function add_unit(name)
    local last, factor = #scaled, UNITS[name]
    if factor and last > 0 then
      scaled[last] = string.format(scaled[last] == ')' and '%s * %.17g' or
        '(%s * %.17g)', scaled[last], factor)
    end
  end
  side = side:gsub('\u{a0}', ' '):gsub('\u{202f}', ' ')
  while side ~= '' do
    local number, length, digit = number_at(side)
    local char = side:match '^[%z\1-\127\194-\244][\128-\191]*'
    local word = side:match(WORD)
    if number then
      add(number)
      worth = digit
    elseif SIGNS[char] then
      add(SIGNS[char])
      length = #char
    elseif word then
      if word == 'mod' then add '%' end
      add_unit(word)
      length = #word
    elseif char == ' ' or char == '%' then
      add_unit(char)
      length = 1
    else
      return
    end
    side = side:sub(length + 1)
  end
  local function value_of(list)
    local code = load('return ' .. table.concat(list, ' '), 'a side', 't',
      { ceil = math.ceil, floor = math.floor })
    local fine, value = pcall(code or error)
    return fine and type(value) == 'number' and value or nil
  end
  return value_of(words), value_of(scaled), worth
end

-- A unit may stand on the right alone: "3 × 4 = 12 ms".
local function agree(left, left_scaled, right, right_scaled, worth)
  local room = math.max(HALF * worth, CLOSE * math.abs(right))
  local unit = right ~= 0 and right_scaled and right_scaled / right or 1
  return math.abs((left_scaled or left) / unit - right) <= room or
    left == left_scaled and math.abs(left - right) <= room
end

-- Reports each equals sign of a text that is wrong.
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
