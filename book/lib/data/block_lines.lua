-- The lines of a block that says what a figure or a table shows:
-- "WORD A | B | C", or "A | B" alone.
local format = require 'common.format'
local report = require 'common.report'
local results = require 'data.results'
local typed = require 'text.typed_figures'
local block_lines = {}

-- Fields of a line "A | B | C", without the white space around them.
local function fields_of(text)
  local fields = {}
  for field in (text .. '|'):gmatch('([^|]*)|') do
    fields[#fields + 1] = field:match('^%s*(.-)%s*$')
  end
  return fields
end

-- takers[WORD] = {least, most, take}: calls take(where, A, B, C) for each line
-- that is not blank and has from `least` to `most` fields; takers[''] is for
-- lines without a word of these. Where a line has others, the figure stops:
-- usage says what a line is.
function block_lines.take(block, context, usage, takers)
  local number = context.line
  for text in (block.text .. '\n'):gmatch('([^\n]*)\n') do
    number = number + 1
    local word, rest = text:match('^%s*(%l+)%s+(.*)$')
    local taker = takers[word]
    if not taker then taker, rest = takers[''], text end
    local where = { file = context.file, line = number }
    typed.check(text, where)
    if text:find('%S') then
      local fields = taker and fields_of(rest) or {}
      if not taker or #fields < taker[1] or #fields > taker[2] then
        report.stop(where, '%s', usage)
      end
      taker[3](where, table.unpack(fields))
    end
  end
end

-- What an expression is worth as the length of a bar.
function block_lines.length(expression, where)
  local value = results.value(expression, where)
  if type(value) ~= 'number' or value < 0 then
    report.stop(where, '"%s" is no number that a bar can show', expression)
  end
  return value
end

-- A number as a pattern shows it.
function block_lines.shown(value, pattern, context)
  local text, reason = format.value(value, pattern)
  return text or report.stop(context, '%s', reason)
end

return block_lines
