-- Numbered frames: listings, figures and tables with their captions; and code
-- that has no number.
local block_lines = require 'data.block_lines'
local coverage = require 'code.coverage'
local drawing = require 'figures.drawing'
local files = require 'common.files'
local format = require 'common.format'
local inlines = require 'read.inlines'
local labels = require 'text.labels'
local labs = require 'data.labs'
local listing = require 'code.listing'
local report = require 'common.report'
local results = require 'data.results'
local frames = {}

-- Tables whose cells come from results. The body of the block is, a line each:
--   head TEXT                        the heading of the first column
--   column TEXT | EXPRESSION | FORMAT
--   row KEY | LABEL | FORMAT          FORMAT: in place of the columns'
--   rows REF | NAME                  one for each of an array; NAME: the field
--                                    that is its label
-- FORMAT "text" is for words: they stand on the left and may wrap.
-- EXPRESSION holds {row} where the key goes.

local function cell_text(value, row, column, attributes)
  if value == results.null then return '\u{2013}' end
  if value == true then return attributes.yes or 'yes' end
  if value == false then return attributes.no or 'no' end
  if type(value) == 'table' then
    report.at(column.where, 'a cell of column "%s" is not a single value',
      column.label)
    return '?'
  end
  if column.format == 'text' then return format.plain(value) end
  local pattern = type(value) == 'number' and (row.format or column.format)
    or nil
  local text, reason = format.value(value, pattern)
  if not text then report.at(column.where, '%s', reason) end
  return text or '?'
end

local function label_of(entry, context)
  if entry.plain then return { pandoc.Plain { pandoc.Str(entry.plain) } } end
  return { pandoc.Plain(inlines.of_attribute(entry.label, context)) }
end

-- The table of a block.
local function table_of(block, attributes, context)
  local columns, rows = pandoc.List {}, pandoc.List {}
  local heads, aligns = { {} }, { pandoc.AlignLeft }
  block_lines.take(block, context,
    'a line of a table begins with head, column or row(s), and has '
    .. '"| EXPRESSION" behind a column', {
      head = { 1, 1, function(_, text)
        heads[1] = label_of({ label = text }, context)
      end },
      column = { 2, 3, function(where, label, expression, form)
        columns:insert { label = label, expression = expression,
          format = form, where = where }
        heads[#heads + 1] = label_of({ label = label }, context)
        aligns[#aligns + 1] = form == 'text' and pandoc.AlignLeft
          or form and pandoc.AlignRight or pandoc.AlignCenter
      end },
      row = { 1, 3, function(_, key, label, form)
        rows:insert { key = key, label = label or key, format = form }
      end },
      rows = { 2, 2, function(where, reference, name)
        for index in ipairs(results.get(reference, where)) do
          local key = tostring(index - 1)
          rows:insert { key = key, plain = format.plain(
            results.get(reference .. '/' .. key .. '/' .. name, where)) }
        end
      end } })
  if #columns == 0 or #rows == 0 then
    report.stop(context, 'a table needs columns and rows')
  end
  local body = rows:map(function(row)
    return pandoc.List { label_of(row, context) } .. columns:map(
      function(column)
        local value = results.evaluate(column.expression, column.where,
          { row = row.key })
        return { pandoc.Plain { pandoc.Str(value == nil and '?'
          or cell_text(value, row, column, attributes)) } }
      end)
  end)
  return pandoc.utils.from_simple_table(pandoc.SimpleTable({}, aligns,
    columns:map(function() return 0 end) .. { 0 }, heads, body))
end

local ATTRIBUTES = pandoc.List { 'file', 'region', 'caption', 'stage',
  'against', 'alt', 'kind', 'unit', 'fmt', 'lines', 'yes', 'no', 'cycles',
  'set', 'whole', 'warps', 'command' }

local function raw(html) return pandoc.RawBlock('html', html) end

-- Gives an element its number and id; an author's id must begin with the kind.
function frames.number(kind, id, context)
  local count = labels.next_number(kind, context)
  labels.check_kind(id, kind, context)
  if id == '' then id = labels.free_id(kind .. '-' .. count:gsub('%.', '-')) end
  labels.define(id, { number = count, page = context.page }, context)
  return id, count
end

-- Where code comes from: each format makes of data-at what it can. The listing
-- explains these lines; without a caption the heading above says what it is
-- about.
local function origin(source, id, title, words, context)
  local about = pandoc.utils.stringify(pandoc.Plain(words))
  if about == '' then about = context.heading or context.title end
  coverage.add(source.path, source.numbers, {
    file = files.chapter(context.file), page = context.page, id = id,
    title = title, about = about })
  return pandoc.RawInline('html', string.format(
    ' <span class="source" data-at="%s#L%d">%s</span>',
    format.escape(source.path), source.numbers[1] or 1,
    format.escape(source.text)))
end

-- id, count: what frames.number gave; words: the caption, as an attribute's
-- text or as inlines; body: a block; more: {attributes, source, stale}: of the
-- element in HTML, where code comes from, whether it shows a stale result.
local function frame(kind, id, count, words, body, context, more)
  if type(words) == 'string' then
    words = inlines.of_attribute(words, context)
  end
  local title = labels.names[kind] .. '\u{a0}' .. count
  local line =
    pandoc.List { pandoc.Strong { pandoc.Str(title) }, pandoc.Space() }
  if more.stale then line:extend { inlines.stale(), pandoc.Space() } end
  line:extend(words or {})
  local caption = pandoc.List { pandoc.Span(line) }
  if more.source then
    caption:insert(origin(more.source, id, title, words or {}, context))
  end
  return { raw(string.format('<figure %s id="%s">\n<figcaption>',
    more.attributes, id)), pandoc.Plain(caption), raw('</figcaption>'), body,
    raw('</figure>') }
end

local function table_frame(id, words, make, context)
  local count
  id, count = frames.number('tbl', id, context)
  results.stale = false
  local body = make()
  return frame('tbl', id, count, words, body, context,
    { attributes = 'class="table"', stale = results.stale })
end

local function figure(block, attributes, context)
  local id, count = frames.number('fig', block.identifier, context)
  results.stale = false
  local svg = drawing.of(block, attributes, id, context)
  local more = { attributes = 'class="drawing"', stale = results.stale }
  if block.classes[1] == 'widget' then
    more.attributes = string.format(
      'class="drawing widget" data-widget="%s" data-start="%s"',
      format.escape(attributes.kind),
      (format.escape(block.text):gsub('\n', '&#10;')))
  end
  return frame('fig', id, count, attributes.caption,
    raw('<div class="scroll" tabindex="0">' .. svg .. '</div>'), context, more)
end

-- ": Caption {#tbl-id}" in the paragraph behind a table.
function frames.table_caption(list, context, body)
  local id, content = '', pandoc.List {}
  for _, element in ipairs(list) do
    if element.t == 'Span' and element.identifier ~= '' then
      id = element.identifier
    else
      content:insert(element)
    end
  end
  local words = inlines.paragraph(content, context)
  words[1].text = words[1].text:gsub('^:', '')
  return table_frame(id, words, function() return body end, context)
end

local kinds = { figure = figure, widget = figure }

function kinds.table(block, attributes, context)
  return table_frame(block.identifier, attributes.caption, function()
    return table_of(block, attributes, context)
  end, context)
end

-- The labs of this chapter, from their own files.
function kinds.labs(_, _, context)
  local items = {}
  for index, lab in ipairs(labs.of(context.id)) do
    items[index] = { pandoc.Plain { pandoc.Code('make ' .. lab.name),
      pandoc.Str ': ', pandoc.Strong { pandoc.Str(lab.title) },
      pandoc.Str(', ' .. lab.minutes .. ' minutes. It trains ' .. lab.trains ..
        '.') } }
  end
  if #items == 0 then
    report.stop(context, 'no lab of labs/ belongs to this chapter')
  end
  return { pandoc.BulletList(items) }
end

function kinds.output(_, attributes, context)
  if not attributes.command then
    report.stop(context, 'an output block needs command="..."')
  end
  return { raw('<div class="terminal">'
    .. listing.output(attributes, context) .. '</div>') }
end

-- What each class of code that is cut from a source needs, and how it is cut.
local CUT = {
  diff = { listing.difference, 'stage', 'against',
    'a difference needs stage="..." and against="..."' },
  arm = { listing.arm, 'stage', 'set',
    'an arm needs stage="..." and set="NAME=VALUE"' },
  other = { listing.source, 'file', 'file', 'code is cut from a source '
    .. '(file="..." region="..."), or is marked .sketch, or is .sh to be typed'
  },
}

local function code(block, class, attributes, context)
  local cut, one, other, usage = table.unpack(CUT[class] or CUT.other)
  if not (attributes[one] and attributes[other]) then
    report.stop(context, '%s', usage)
  end
  local id, count = frames.number('lst', block.identifier, context)
  local html, source = cut(attributes, context, class)
  return frame('lst', id, count, attributes.caption, raw(html), context,
    { attributes = 'class="listing"', source = source })
end

-- A fenced block: listing, difference, arm, drawing, widget, table, output,
-- sketch.
function frames.code_block(block, context, attributes)
  for name in pairs(attributes) do
    if not ATTRIBUTES:includes(name) then
      report.at(context, 'there is no attribute "%s"', name)
    end
  end
  local class = block.classes[1] or ''
  local from_file = attributes.file or attributes.stage
  if kinds[class] then return kinds[class](block, attributes, context) end
  if block.classes:includes('sketch') or class == 'sh' and not from_file then
    local html = listing.sketch(inlines.typed(block.text), class)
    return { raw('<div class="sketch">' .. html .. '</div>') }
  end
  return code(block, class, attributes, context)
end

return frames
