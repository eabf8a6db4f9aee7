-- The running text of a chapter: takes out the reader's position marks, looks
-- numbers up in results, and marks references and terms.
local arithmetic = require 'text.arithmetic'
local commonmark = require 'read.commonmark'
local format = require 'common.format'
local json = require 'data.json'
local labels = require 'text.labels'
local paragraphs = require 'text.paragraphs'
local report = require 'common.report'
local results = require 'data.results'
local terms = require 'text.terms'
local typed = require 'text.typed_figures'
local add_prose, flush = paragraphs.add_prose, paragraphs.flush
local put, link_attr = paragraphs.put, paragraphs.link_attr
local inlines = { formulas = {}, terms = {} }

local MARKED = { predicted = 'A prediction', calc = 'Computed in the text',
                 cited = 'From the source named here' }

-- Moves context.line to where the reader says that it found something.
local function move_to(position, context)
  local line = context.fixed_line or
    tonumber((position or ''):match('^%D*(%d+)'))
  context.line = line or context.line
end

-- Moves context.line to an element's position; returns its other attributes.
function inlines.locate(element, context)
  local rest = {}
  for name, value in pairs(element.attributes or {}) do
    if name == 'data-pos' then
      move_to(value, context)
    elseif name ~= 'wrapper' then
      rest[name] = value
    end
  end
  return rest
end

-- Where the context is now; the context itself moves on.
function inlines.place(context)
  return { file = context.file, line = context.line }
end

-- Beside what was measured with another kernel; only a draft has any.
function inlines.stale()
  return pandoc.Superscript { pandoc.Span({ pandoc.Str('stale') },
    pandoc.Attr('', { 'stale' })) }
end

local function number_span(paragraph, class, element, context)
  local attributes = inlines.locate(element, context)
  local text = pandoc.utils.stringify(element)
  local expression = class == 'num' and text or class .. ' ' .. text
  local before = results.stale
  results.stale = false
  local value = results.evaluate(expression, inlines.place(context))
  local stale, shown = results.stale, '?'
  results.stale = before or stale
  if value ~= nil then
    local reason
    if type(value) == 'table' or value == json.null then
      report.at(context, '"%s" is not a single value', text)
    else
      shown, reason = format.value(value, attributes.fmt)
      if not shown then report.at(context, '%s', reason) end
    end
  end
  put(paragraph, pandoc.Span({ pandoc.Str(shown or '?') },
    pandoc.Attr('', { 'num' }, { title = expression })))
  if stale then put(paragraph, inlines.stale()) end
  add_prose(paragraph, '\1', context)
end

local function term_span(paragraph, element, context)
  inlines.locate(element, context)
  local text = pandoc.utils.stringify(element)
  local id = 'term-' .. terms.id(text)
  if labels.define(id, { text = text, page = context.page },
      inlines.place(context)) then
    table.insert(inlines.terms, { text = text, id = id, page = context.page,
      chapter = context.number == '0' and context.title or context.appendix
        or 'Chapter\u{a0}' .. context.number, file = context.file,
      line = context.line })
  end
  put(paragraph, pandoc.RawInline('html', '<dfn id="' .. id .. '">'))
  inlines.walk(paragraph, element.content, context)
  flush(paragraph, context)
  put(paragraph, pandoc.RawInline('html', '</dfn>'))
end

local function equation(paragraph, element, context)
  local id = element.identifier
  labels.check_kind(id, 'eq', inlines.place(context))
  context.count.eq = (context.count.eq or 0) + 1
  local number = context.number .. '.' .. context.count.eq
  labels.define(id, { number = number, page = context.page },
    inlines.place(context))
  local last = paragraph.out[#paragraph.out]
  paragraph.out:remove(#paragraph.out)
  local shown = pandoc.Span({ pandoc.Str('(' .. number .. ')') },
    pandoc.Attr('', { 'equation-number' }))
  put(paragraph, pandoc.Span({ last, shown }, pandoc.Attr(id, { 'equation' })))
end

-- With powers as they would be typed.
local function check_sum(element, context)
  local spelled = element:walk { Superscript = function(power)
    return pandoc.Str('^' .. pandoc.utils.stringify(power))
  end }
  arithmetic.check(pandoc.utils.stringify(spelled), inlines.place(context))
end

local function marked_span(paragraph, class, element, context)
  inlines.locate(element, context)
  if class == 'calc' then check_sum(element, context) end
  if class == 'cited' then paragraph.cited = paragraph.cited or context.line end
  local inner = paragraphs.new()
  inlines.walk(inner, element.content, context)
  flush(inner, context)
  paragraph.sourced = paragraph.sourced or inner.sourced
  put(paragraph, pandoc.Span(inner.out,
    pandoc.Attr('', { class }, { title = MARKED[class] })))
  add_prose(paragraph, '\1', context)
end

local function span(paragraph, element, context)
  local attr = element.attr  -- each look into an element takes long
  local class = attr.classes[1]
  if not class and attr.identifier == '' then  -- a position: there are many
    move_to(attr.attributes['data-pos'], context)
    inlines.walk(paragraph, element.content, context)
    return
  end
  flush(paragraph, context)
  if element.identifier:match('^eq%-') then
    inlines.locate(element, context)
    inlines.walk(paragraph, element.content, context)
    flush(paragraph, context)
    while #paragraph.out > 0 and paragraph.out[#paragraph.out].t == 'Space' do
      paragraph.out:remove(#paragraph.out)
    end
    if #paragraph.out == 0 then
      report.at(context, 'no formula before {#%s}', element.identifier)
    else
      equation(paragraph, element, context)
    end
  elseif class == 'num' or results.operations[class or ''] then
    number_span(paragraph, class, element, context)
  elseif MARKED[class or ''] then
    marked_span(paragraph, class, element, context)
  elseif class == 'code' then
    inlines.locate(element, context)
    put(paragraph, pandoc.Code(pandoc.utils.stringify(element)))
    add_prose(paragraph, '\1', context)
  elseif class == 'term' then
    term_span(paragraph, element, context)
  else
    inlines.locate(element, context)
    report.at(context, 'there is no span of class "%s"',
      class or '#' .. element.identifier)
  end
end

local function formula(paragraph, element, context)
  local display = element.mathtype == 'DisplayMath'
  table.insert(inlines.formulas, { tex = element.text, display = display,
    where = inlines.place(context) })
  put(paragraph, pandoc.RawInline('html',
    '<!--formula ' .. #inlines.formulas .. '-->'))
  local where = inlines.place(context)
  typed.find(typed.plain_tex(element.text), function(_, figure)
    if not figure:find('[x\u{d7}]$') then
      report.at(where, typed.MESSAGE, figure)
    end
  end)
  add_prose(paragraph, '\1', context)
end

local function link(paragraph, element, context)
  inlines.locate(element, context)
  local target = element.target
  local id = target:match('^#(.+)$')
  if not id and not target:match('^https?://[%w.-]+') then
    report.at(context,
      'the link "%s" leads neither to #id nor to an http(s) address', target)
  end
  paragraph.sourced = paragraph.sourced or not id
  local inner = paragraphs.new()
  inlines.walk(inner, element.content, context)
  flush(inner, context)
  for _, piece in ipairs(inner.prose) do
    add_prose(paragraph, piece, context)
  end
  put(paragraph, pandoc.Link(inner.out, target, element.title,
    link_attr(id and 'own' or 'external', context)))
end

local function nested(paragraph, element, context)
  local outer = paragraph.out
  paragraph.out = pandoc.List {}
  inlines.walk(paragraph, element.content, context)
  flush(paragraph, context)
  element.content, paragraph.out = paragraph.out, outer
  put(paragraph, element)
end

local handlers = { Span = span, Math = formula, Link = link, Emph = nested,
  Strong = nested, Strikeout = nested, Superscript = nested, Subscript = nested,
  Quoted = nested }

function handlers.Code(paragraph, element, context)
  inlines.locate(element, context)
  put(paragraph, pandoc.Code(element.text))
  add_prose(paragraph, '\1', context)
end

function handlers.Note(paragraph, element, context)
  put(paragraph, pandoc.Note(context.blocks(element.content, context)))
end

function handlers.Image(_, _, context)
  report.at(context, 'an image stands alone in its paragraph')
end

function handlers.RawInline(_, _, context)
  report.at(context, 'raw HTML or TeX is not for chapters')
end

function inlines.walk(paragraph, list, context)
  for _, element in ipairs(list) do
    local kind = element.t
    if kind == 'Str' then
      paragraph.word = paragraph.word .. element.text
      add_prose(paragraph, element.text, context)
    elseif kind == 'Span' then
      span(paragraph, element, context)
    else
      flush(paragraph, context)
      local handler = handlers[kind]
      if handler then
        handler(paragraph, element, context)
      else
        put(paragraph, kind == 'SoftBreak' and pandoc.Space() or element)
        add_prose(paragraph, ' ', context)
      end
    end
  end
end

-- The inlines of one paragraph, heading or caption, ready for a writer.
function inlines.paragraph(list, context)
  local paragraph = paragraphs.new()
  inlines.walk(paragraph, list, context)
  flush(paragraph, context)
  paragraphs.check(paragraph, context)
  return paragraph.out
end

-- The image, if a paragraph holds nothing else.
function inlines.only_image(list)
  local only
  for _, element in ipairs(list) do
    if element.t == 'Span' then
      element = inlines.only_image(element.content)
    end
    if only or not element or element.t ~= 'Image' then return nil end
    only = element
  end
  return only
end

-- A caption or another attribute that holds one paragraph of text.
function inlines.of_attribute(text, context)
  local content = commonmark.inlines(text)
  if not content then return pandoc.List {} end
  local saved = context.fixed_line
  context.fixed_line = context.line
  local list = inlines.paragraph(content, context)
  context.fixed_line = saved
  return list
end

return inlines
