-- Tables whose cells come from results. The body of the block is, a line each:
--   head TEXT                        the heading of the first column
--   column TEXT | EXPRESSION | FORMAT
--   columns REF | EXPRESSION | FORMAT   one for each key of an object or array
--   row KEY | LABEL | FORMAT          FORMAT: in place of the columns'
--   rows REF | NAME                  one for each key; NAME: the label's field
-- FORMAT "text" is for words: they stand on the left and may wrap.
-- EXPRESSION holds {row} and {column} where the key goes.
local format = require 'common.format'
local inlines = require 'read.inlines'
local json = require 'data.json'
local plot = require 'figures.plot'
local report = require 'common.report'
local results = require 'data.results'
local data_tables = {}

-- The keys and labels of an object or array in a result.
local function entries(reference, name, where)
  local value = results.get(reference, where)
  local list = {}
  if value == nil then return list end
  if type(value) ~= 'table' then
    report.at(where, '"%s" is neither an object nor an array', reference)
    return list
  end
  local keys = json.keys(value)
  for index, key in ipairs(keys or value) do
    local element = keys and value[key] or value[index]
    if not keys then
      key = tostring(type(element) == 'table' and index - 1 or element)
    end
    local label = key
    if name and type(element) == 'table' then label = element[name] end
    if label == nil then
      report.at(where, '"%s/%s" has no "%s"', reference, key, name)
      label = '?'
    end
    list[#list + 1] = { key = key, label = tostring(label), plain = true }
  end
  return list
end

local parsers = {}

function parsers.head(plan, fields) plan.head = fields[1] end

function parsers.column(plan, fields, where)
  table.insert(plan.columns, { label = fields[1], expression = fields[2],
    format = fields[3], where = where })
end

function parsers.columns(plan, fields, where)
  for _, entry in ipairs(entries(fields[1], nil, where)) do
    table.insert(plan.columns, { key = entry.key, label = entry.label,
      plain = true, expression = fields[2], format = fields[3],
      where = where })
  end
end

function parsers.row(plan, fields)
  table.insert(plan.rows, { key = fields[1], label = fields[2] or fields[1],
    format = fields[3] })
end

function parsers.rows(plan, fields, where)
  for _, entry in ipairs(entries(fields[1], fields[2], where)) do
    table.insert(plan.rows, entry)
  end
end

local function parse(block, context)
  local plan = { head = '', columns = {}, rows = {} }
  for _, line in plot.lines(block, context) do
    local word, rest = line.text:match('^%s*(%l+)%s+(.-)%s*$')
    local fields = plot.fields(rest or '')
    if not parsers[word or ''] then
      report.at(line.where,
        'a line of a table begins with head, column(s) or row(s)')
    elseif word:match('^column') and not fields[2] then
      report.at(line.where, '"%s" needs "| EXPRESSION"', word)
    else
      parsers[word](plan, fields, line.where)
    end
  end
  return plan
end

local function cell_text(value, row, column, attributes)
  if value == json.null then return '\u{2013}' end
  if value == true then return attributes.yes or 'yes' end
  if value == false then return attributes.no or 'no' end
  if type(value) == 'table' then
    report.at(column.where, 'a cell of column "%s" is not a single value',
      column.label)
    return '?'
  end
  if column.format == 'text' then return tostring(value) end
  local pattern = type(value) == 'number' and (row.format or column.format)
    or nil
  local text, reason = format.value(value, pattern)
  if not text then report.at(column.where, '%s', reason) end
  return text or '?'
end

local function label_of(entry, context)
  if entry.plain then return { pandoc.Plain { pandoc.Str(entry.label) } } end
  return { pandoc.Plain(inlines.of_attribute(entry.label, context)) }
end

-- The table of a block, or nil once an error has been reported.
function data_tables.of(block, attributes, context)
  local plan = parse(block, context)
  if #plan.columns == 0 or #plan.rows == 0 then
    return report.at(context, 'a table needs columns and rows')
  end
  local heads = { label_of({ label = plan.head }, context) }
  local aligns, widths, body = { pandoc.AlignLeft }, { 0 }, {}
  for index, column in ipairs(plan.columns) do
    heads[index + 1] = label_of(column, context)
    aligns[index + 1] = column.format == 'text' and pandoc.AlignLeft
      or column.format and pandoc.AlignRight or pandoc.AlignCenter
    widths[index + 1] = 0
  end
  for number, row in ipairs(plan.rows) do
    local cells = { label_of(row, context) }
    for index, column in ipairs(plan.columns) do
      local keys = { row = row.key, column = column.key }
      local value = results.evaluate(column.expression, column.where, keys)
      local text = '?'
      if value ~= nil then
        text = cell_text(value, row, column, attributes)
      end
      cells[index + 1] = { pandoc.Plain { pandoc.Str(text) } }
    end
    body[number] = cells
  end
  return pandoc.utils.from_simple_table(
    pandoc.SimpleTable({}, aligns, widths, heads, body))
end

return data_tables
