-- The running text of a chapter, by pandoc's reader of CommonMark: takes out
-- the reader's position marks, looks numbers up in results, and marks
-- references and terms.
local files = require 'common.files'
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
function inlines.read(text)
  local json = files.answer('read\n' .. text, function()
    return pandoc.write(pandoc.read(text, READER), 'json')
  end)
  return pandoc.read(json, 'json').blocks
end

-- The inlines of a text of one paragraph; nil where it has none. Most captions
-- and cells are words only: starting the reader for each would take longer than
-- all else about them.
local function inlines_of(text)
  if text:match('^%a[%w,;:() ]*$') and not text:match('^%w+%)') then
    return pandoc.Inlines(text)
  end
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

-- Links remember where they were written.
local function located(link, context)
  link.attributes.file = context.file
  link.attributes.line = tostring(context.line)
  return link
end

-- A paragraph under work has out: its inlines; word: text that is not yet among
-- them; prose: what is read; line: where it begins.
local function say(paragraph, text)
  if not paragraph.silent then table.insert(paragraph.prose, text) end
end

local function reference(paragraph, id, context)
  local kind = labels.kind(id)
  if not kind then
    return report.at(context, '"@%s" is no kind of reference', id)
  end
  if kind == 'src' then
    paragraph.sourced = true
    inlines.cited[id] = inlines.cited[id] or {}
    inlines.cited[id][context.page] = true
  end
  paragraph.out:insert(located(inlines.link_to(id, 'xref', '@' .. id), context))
end

-- Puts out the word so far, with "@fig-x" in it made references.
local function flush(paragraph, context)
  local word = paragraph.word
  paragraph.word = ''
  while word ~= '' do
    local before, id, after = word:match('^(.-)@(%l+%-[%w%-]*%w)(.*)$')
    if not before or before:find('%w$') then before, id = word, nil end
    if before ~= '' then paragraph.out:insert(pandoc.Str(before)) end
    if not id then return end
    reference(paragraph, id, context)
    word = after
  end
end

local function put(paragraph, inline, context)
  flush(paragraph, context)
  paragraph.out:insert(inline)
end

-- The inlines of a part of a paragraph.
local function inner(paragraph, list, context)
  flush(paragraph, context)
  local outer = paragraph.out
  paragraph.out = pandoc.List {}
  inlines.walk(paragraph, list, context)
  flush(paragraph, context)
  local out = paragraph.out
  paragraph.out = outer
  return out
end

local function number_span(paragraph, class, element, context, attributes)
  local text = text_of(element)
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
  put(paragraph, pandoc.Span({ pandoc.Str(shown or '?') },
    pandoc.Attr('', { 'num' }, { title = expression })), context)
  if stale then put(paragraph, inlines.stale(), context) end
  say(paragraph, '\1')
end

local function term_span(paragraph, element, context)
  local text = text_of(element)
  local term = { text = text, id = 'term-' .. terms.id(text),
    page = context.page, file = context.file, line = context.line,
    chapter = context.number == '0' and context.title or context.appendix
      or 'Chapter\u{a0}' .. context.number }
  if labels.define(term.id, { text = text, page = context.page },
      context) then
    table.insert(inlines.terms, term)
  end
  put(paragraph, pandoc.RawInline('html', '<dfn id="' .. term.id .. '">'),
    context)
  inlines.walk(paragraph, element.content, context)
  put(paragraph, pandoc.RawInline('html', '</dfn>'), context)
end

-- {#eq-x} behind a formula gives it a number.
local function equation(paragraph, element, context)
  inlines.walk(paragraph, element.content, context)
  flush(paragraph, context)
  local id, out = element.identifier, paragraph.out
  while #out > 0 and out[#out].t == 'Space' do out:remove(#out) end
  if #out == 0 then
    return report.at(context, 'no formula before {#%s}', id)
  end
  labels.check_kind(id, 'eq', context)
  context.count.eq = (context.count.eq or 0) + 1
  local number = context.number .. '.' .. context.count.eq
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

local function marked_span(paragraph, class, element, context)
  if class == 'calc' then check_sum(element, context) end
  paragraph.cited = paragraph.cited or class == 'cited'
  local was_silent = paragraph.silent
  paragraph.silent = true
  put(paragraph, pandoc.Span(inner(paragraph, element.content, context),
    pandoc.Attr('', { class }, { title = MARKED[class] })), context)
  paragraph.silent = was_silent
  say(paragraph, '\1')
end

local handlers = {}

function handlers.Span(paragraph, element, context, attributes)
  local class = element.classes[1]
  if element.identifier:match('^eq%-') then
    equation(paragraph, element, context)
  elseif class == 'num' or results.operations[class or ''] then
    number_span(paragraph, class, element, context, attributes)
  elseif MARKED[class or ''] then
    marked_span(paragraph, class, element, context)
  elseif class == 'code' then
    handlers.Code(paragraph, { text = text_of(element) }, context)
  elseif class == 'term' then
    term_span(paragraph, element, context)
  else
    report.at(context, 'there is no span of class "%s"',
      class or '#' .. element.identifier)
  end
end

function handlers.Math(paragraph, element, context)
  local where = { file = context.file, line = context.line }
  table.insert(inlines.formulas, { tex = element.text, where = where,
    display = element.mathtype == 'DisplayMath' })
  put(paragraph, pandoc.RawInline('html',
    '<!--formula ' .. #inlines.formulas .. '-->'), context)
  typed.find(typed.plain_tex(element.text), function(figure)
    if not figure:find('[x\u{d7}]$') then
      report.at(where, typed.MESSAGE, figure)
    end
  end)
  say(paragraph, '\1')
end

function handlers.Link(paragraph, element, context)
  local target = element.target
  local id = target:match('^#(.+)$')
  if not id and not target:match('^https?://[%w.-]+') then
    report.at(context,
      'the link "%s" leads neither to #id nor to an http(s) address', target)
  end
  paragraph.sourced = paragraph.sourced or not id
  local content = inner(paragraph, element.content, context)
  put(paragraph, located(pandoc.Link(content, target, element.title,
    pandoc.Attr('', { id and 'own' or 'external' })), context), context)
end

local function nested(paragraph, element, context)
  element.content = inner(paragraph, element.content, context)
  put(paragraph, element, context)
end

for _, kind in ipairs { 'Emph', 'Strong', 'Strikeout', 'Superscript',
    'Subscript', 'Quoted' } do
  handlers[kind] = nested
end

function handlers.Code(paragraph, element, context)
  put(paragraph, pandoc.Code(element.text), context)
  say(paragraph, '\1')
end

function handlers.Note(paragraph, element, context)
  put(paragraph, pandoc.Note(context.blocks(element.content, context)), context)
end

function handlers.RawInline(_, _, context)
  report.at(context, 'an image, raw HTML or TeX is not for running text')
end

handlers.Image = handlers.RawInline

function inlines.walk(paragraph, list, context)
  for _, element in ipairs(list) do
    local kind = element.t
    local attr = kind == 'Span' and element.attr
    if kind == 'Str' then
      paragraph.line = paragraph.line or context.line
      paragraph.word = paragraph.word .. element.text
      say(paragraph, element.text)
    elseif attr and attr.identifier == '' and #attr.classes == 0 then
      inlines.locate(attr, context)  -- a position: there are many
      inlines.walk(paragraph, element.content, context)
    elseif handlers[kind] then
      flush(paragraph, context)
      handlers[kind](paragraph, element, context,
        inlines.locate(element, context))
    else
      put(paragraph, kind == 'SoftBreak' and pandoc.Space() or element, context)
      say(paragraph, ' ')
    end
  end
end

-- Reports what the text of a paragraph must not hold.
local function check(paragraph, context)
  local prose = table.concat(paragraph.prose)
  local where = { file = context.file, line = paragraph.line or context.line }
  if prose:find('%$%$') or prose:find('\\%a') then
    report.at(where,
      'this TeX is not read as a formula: are its braces and $ paired?')
  end
  typed.check(prose, where)
  if paragraph.cited and not paragraph.sourced then
    report.at(where, 'a cited figure, but no source in this paragraph')
  end
end

-- The inlines of one paragraph, heading or caption, ready for a writer.
function inlines.paragraph(list, context)
  local paragraph = { out = pandoc.List {}, word = '', prose = {} }
  inlines.walk(paragraph, list, context)
  flush(paragraph, context)
  check(paragraph, context)
  return paragraph.out
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
