-- The running text of a chapter, by pandoc's reader of CommonMark: takes out
-- the reader's position marks, looks numbers up in results, and marks
-- references and terms.
local format = require 'common.format'
local labels = require 'text.labels'
local report = require 'common.report'
local results = require 'data.results'
local terms = require 'text.terms'
local typed = require 'text.typed_figures'
-- cited[id][page] = true for the sources
local inlines = { formulas = {}, terms = {}, cited = {} }

local READER = 'commonmark_x+sourcepos-gfm_auto_identifiers-emoji'
  .. '-implicit_figures'

-- The blocks; attributes data-pos say where their parts stand in the text.
-- A reference "@fig-x" is read as a link that has no words yet.
function inlines.read(text)
  text = text:gsub("%f[%w@]@(%l+%-[%w-]*%w)('?)", function(id, apostrophe)
    return labels.kind(id) and '[](#' .. id .. '){.xref}'
      .. (apostrophe == '' and '' or '\u{2019}')
  end)
  return pandoc.read(text, READER).blocks
end

-- Code as it was typed, with "@fig-x" in it.
function inlines.typed(text)
  return (text:gsub('%[%]%(#([%w-]+)%){%.xref}', '@%1'))
end

-- The inlines of a text of one paragraph; nil where it has none.
local function inlines_of(text)
  local block = inlines.read(text)[1]
  while block and block.t == 'Div' do block = block.content[1] end
  return block and block.content
end

local MARKED = { predicted = 'A prediction', calc = 'Computed in the text',
                 cited = 'From the source named here' }
local text_of = pandoc.utils.stringify

-- Moves context.line to an element's position; returns its other attributes.
function inlines.locate(element, context)
  local rest = {}
  for name, value in pairs(element.attributes or {}) do
    if name == 'data-pos' then
      context.line = context.fixed_line or tonumber(value:match('^%D*(%d+)'))
        or context.line
    elseif name ~= 'wrapper' then
      rest[name] = value
    end
  end
  return rest
end

-- A block out of its position marks, and its other attributes.
function inlines.unwrapped(block, context)
  local attributes = inlines.locate(block, context)
  if block.t ~= 'Div' or block.identifier ~= '' or #block.classes > 0 then
    return block, attributes
  end
  assert(#block.content == 1)
  return inlines.unwrapped(block.content[1], context)
end

-- Beside what was measured with another kernel; only a draft has any.
function inlines.stale()
  return pandoc.Superscript { pandoc.Span({ pandoc.Str('stale') },
    pandoc.Attr('', { 'stale' })) }
end

-- A link to something with an id; a reference gets its words from there.
function inlines.link_to(id, class, text)
  return pandoc.Link({ pandoc.Str(text or '@') }, '#' .. id, '',
    pandoc.Attr('', { class }))
end

-- A paragraph under work: prose, what is read of it; line: where it begins.
local function say(paragraph, text)
  if not paragraph.silent then table.insert(paragraph.prose, text) end
end

local function number_span(out, element, context, paragraph, attributes)
  local text, class = text_of(element), element.classes[1]
  local expression = class == 'num' and text or class .. ' ' .. text
  local before = results.stale
  results.stale = false
  local value = results.evaluate(expression, context)
  local stale, shown, reason = results.stale, '?', nil
  results.stale = before or stale
  if type(value) == 'table' or value == results.null then
    report.at(context, '"%s" is not a single value', text)
  elseif value ~= nil then
    shown, reason = format.value(value, attributes.fmt)
    if not shown then report.at(context, '%s', reason) end
  end
  out:insert(pandoc.Span({ pandoc.Str(shown or '?') },
    pandoc.Attr('', { 'num' }, { title = expression })))
  if stale then out:insert(inlines.stale()) end
  say(paragraph, '\1')
end

local function term_span(out, element, context, paragraph)
  local text = text_of(element)
  local term = { text = text, id = 'term-' .. terms.id(text),
    page = context.page, file = context.file, line = context.line,
    chapter = context.number == '0' and context.title or context.appendix
      or 'Chapter\u{a0}' .. context.number }
  if labels.define(term.id, { text = text, page = context.page },
      context) then
    table.insert(inlines.terms, term)
  end
  out:insert(pandoc.RawInline('html', '<dfn id="' .. term.id .. '">'))
  inlines.walk(out, element.content, context, paragraph)
  out:insert(pandoc.RawInline('html', '</dfn>'))
end

-- {#eq-x} behind a formula gives it a number.
local function equation(out, element, context)
  local id = element.identifier
  while #out > 0 and out[#out].t == 'Space' do out:remove(#out) end
  if #out == 0 then
    return report.at(context, 'no formula before {#%s}', id)
  end
  labels.check_kind(id, 'eq', context)
  local number = labels.next_number('eq', context)
  labels.define(id, { number = number, page = context.page }, context)
  out[#out] = pandoc.Span({ out[#out], pandoc.Span(
    { pandoc.Str('(' .. number .. ')') },
    pandoc.Attr('', { 'equation-number' })) }, pandoc.Attr(id, { 'equation' }))
end

-- With powers as they would be typed.
local function check_sum(element, context)
  local spelled = element:walk { Superscript = function(power)
    return pandoc.Str('^' .. text_of(power))
  end }
  typed.check_sums(text_of(spelled), context)
end

local function inner(element, context, paragraph)
  return inlines.walk(pandoc.List {}, element.content, context, paragraph)
end

local function marked_span(out, element, context, paragraph)
  local class, was_silent = element.classes[1], paragraph.silent
  if class == 'calc' then check_sum(element, context) end
  paragraph.cited = paragraph.cited or class == 'cited'
  paragraph.silent = true
  out:insert(pandoc.Span(inner(element, context, paragraph),
    pandoc.Attr('', { class }, { title = MARKED[class] })))
  paragraph.silent = was_silent
  say(paragraph, '\1')
end

-- Each adds to `out` what a writer gets of an element.
local handlers = {}

function handlers.Span(out, element, context, paragraph, attributes)
  local class = element.classes[1]
  if element.identifier:match('^eq%-') then
    equation(out, element, context)
  elseif class == 'num' or results.operations[class or ''] then
    number_span(out, element, context, paragraph, attributes)
  elseif MARKED[class or ''] then
    marked_span(out, element, context, paragraph)
  elseif class == 'code' then
    handlers.Code(out, { text = text_of(element) }, context, paragraph)
  elseif class == 'term' then
    term_span(out, element, context, paragraph)
  else
    report.at(context, 'there is no span of class "%s"',
      class or '#' .. element.identifier)
  end
end

function handlers.Math(out, element, context, paragraph)
  local where = { file = context.file, line = context.line }
  table.insert(inlines.formulas, { tex = element.text, where = where,
    display = element.mathtype == 'DisplayMath' })
  out:insert(pandoc.RawInline('html',
    '<!--formula ' .. #inlines.formulas .. '-->'))
  typed.find(typed.plain_tex(element.text), function(figure)
    if not figure:find('[x\u{d7}]$') then
      report.at(where, typed.MESSAGE, figure)
    end
  end)
  say(paragraph, '\1')
end

local function cite(id, context)
  inlines.cited[id] = inlines.cited[id] or {}
  inlines.cited[id][context.page] = true
end

function handlers.Link(out, element, context, paragraph)
  local target, is_reference = element.target, element.classes[1] == 'xref'
  local id = target:match('^#(.+)$')
  if not id and not target:match('^https?://[%w.-]+') then
    report.at(context,
      'the link "%s" leads neither to #id nor to an http(s) address', target)
  end
  local is_source = is_reference and labels.kind(id) == 'src'
  if is_source then cite(id, context) end
  paragraph.sourced = paragraph.sourced or is_source or not id
  local content = is_reference and { pandoc.Str('@' .. id) }
    or inner(element, context, paragraph)
  local class = is_reference and 'xref' or id and 'own' or 'external'
  -- where it was written
  local place = { file = context.file, line = tostring(context.line) }
  out:insert(pandoc.Link(content, target, element.title,
    pandoc.Attr('', { class }, place)))
end

local function nested(out, element, context, paragraph)
  element.content = inner(element, context, paragraph)
  out:insert(element)
end

for _, kind in ipairs { 'Emph', 'Strong', 'Strikeout', 'Superscript',
    'Subscript', 'Quoted' } do
  handlers[kind] = nested
end

function handlers.Code(out, element, _, paragraph)
  out:insert(pandoc.Code(inlines.typed(element.text)))
  say(paragraph, '\1')
end

function handlers.Note(out, element, context)
  out:insert(pandoc.Note(context.blocks(element.content, context)))
end

function handlers.RawInline(_, _, context)
  report.at(context, 'an image, raw HTML or TeX is not for running text')
end

handlers.Image = handlers.RawInline

function inlines.walk(out, list, context, paragraph)
  for _, element in ipairs(list) do
    local kind = element.t
    local attr = kind == 'Span' and element.attr
    if attr and attr.identifier == '' and #attr.classes == 0 then
      inlines.locate(attr, context)  -- a position: there are many
      inlines.walk(out, element.content, context, paragraph)
    elseif handlers[kind] then
      handlers[kind](out, element, context, paragraph,
        inlines.locate(element, context))
    else
      paragraph.line = paragraph.line or context.line
      out:insert(kind == 'SoftBreak' and pandoc.Space() or element)
      say(paragraph, kind == 'Str' and element.text or ' ')
    end
  end
  return out
end

-- Reports what the text of a paragraph must not hold.
local function check(paragraph, context)
  local prose = table.concat(paragraph.prose)
  local where = { file = context.file, line = paragraph.line or context.line }
  if prose:find('%$%$') or prose:find('\\%a') then
    report.at(where,
      'this TeX is not read as a formula: are its braces and $ paired?')
  end
  local unknown = prose:match('%f[%w@]@%l+%-[%w-]*%w')
  if unknown then
    report.at(where, '"%s" is no kind of reference', unknown)
  end
  typed.check(prose, where)
  if paragraph.cited and not paragraph.sourced then
    report.at(where, 'a cited figure, but no source in this paragraph')
  end
end

-- The inlines of one paragraph, heading or caption, ready for a writer.
function inlines.paragraph(list, context)
  local paragraph = { prose = {} }
  local out = inlines.walk(pandoc.List {}, list, context, paragraph)
  check(paragraph, context)
  return out
end

-- A caption or another attribute that holds one paragraph of text.
function inlines.of_attribute(text, context)
  local content = inlines_of(text)
  if not content then return pandoc.List {} end
  local saved = context.fixed_line
  context.fixed_line = context.line
  local list = inlines.paragraph(content, context)
  context.fixed_line = saved
  return list
end

return inlines
