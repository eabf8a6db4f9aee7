-- Tables whose cells come from results. The body of the block is, a line each:
--   head TEXT                        the heading of the first column
--   column TEXT | EXPRESSION | FORMAT
--   row KEY | LABEL | FORMAT          FORMAT: in place of the columns'
--   rows REF | NAME                  one for each key; NAME: the label's field
-- FORMAT "text" is for words: they stand on the left and may wrap.
-- EXPRESSION holds {row} where the key goes.
local block_lines = require 'data.block_lines'
local format = require 'common.format'
local inlines = require 'read.inlines'
local report = require 'common.report'
local results = require 'data.results'
local data_tables = {}

-- The keys and labels of an object or array in a result.
local function entries(reference, name, where)
  local value = results.get(reference, where)
  local list, keys = {}, results.keys(value)
  if type(value) ~= 'table' then
    report.stop(where, '"%s" is neither an object nor an array', reference)
  end
  for index, key in ipairs(keys or value) do
    local element = keys and value[key] or value[index]
    local is_table = type(element) == 'table'
    if not keys then key = tostring(is_table and index - 1 or element) end
    local label = key
    if name and is_table then label = element[name] end
    if label == nil then
      report.stop(where, '"%s/%s" has no "%s"', reference, key, name)
    end
    list[index] = { key = key, label = tostring(label), plain = true }
  end
  return list
end

local function parse(block, context)
  local plan = { head = '', columns = {}, rows = pandoc.List {} }
  block_lines.take(block, context,
    'a line of a table begins with head, column or row(s), and has '
    .. '"| EXPRESSION" behind a column', {
      head = function(_, text)
        plan.head = text
      end,
      column = function(where, label, expression, form)
        table.insert(plan.columns, { label = label, expression = expression,
          format = form, where = where })
        return expression ~= nil
      end,
      row = function(_, key, label, form)
        table.insert(plan.rows,
          { key = key, label = label or key, format = form })
      end,
      rows = function(where, reference, name)
        plan.rows:extend(entries(reference, name, where))
      end })
  if #plan.columns == 0 or #plan.rows == 0 then
    report.stop(context, 'a table needs columns and rows')
  end
  return plan
end

local function cell_text(value, row, column, attributes)
  if value == results.null then return '\u{2013}' end
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

-- The table of a block.
function data_tables.of(block, attributes, context)
  local plan = parse(block, context)
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
      local value = results.evaluate(column.expression, column.where,
        { row = row.key })
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
