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

return typed
