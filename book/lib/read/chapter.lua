-- One chapter file to blocks that a writer can print.
local definition_lists = require 'read.definition_lists'
local files = require 'common.files'
local frames = require 'read.frames'
local inlines = require 'read.inlines'
local labels = require 'text.labels'
local report = require 'common.report'
local terms = require 'text.terms'
-- for_students: answers are read, and so checked, but not written.
local chapter = { answers = pandoc.List {}, answers_page = nil,
  for_students = false }

local ASIDES = { aside = 'Aside', note = 'Note',
                 ['without-gpu'] = 'Without a GPU' }

local function raw(html) return pandoc.RawBlock('html', html) end

-- What a file's name says first: the number of a chapter, the letter of an
-- appendix; anything else is chapter 0, which shows no number. Also how the
-- heading calls an appendix, and notes, which are N4 where their chapter is 4.
function chapter.number_of(file)
  local mark = file:match('/(%d+)[^/]*$') or file:match('/(%u)%-[^/]*$') or '0'
  mark = mark:match('^0*(.+)$')
  if file:find('/notes/', 1, true) then
    return 'N' .. mark, 'Notes\u{a0}' .. mark
  end
  if mark:match('%u') then return mark, 'Appendix\u{a0}' .. mark end
  return mark
end

-- The first heading: the chapter's title and id.
local function title(id, text, context)
  labels.check_kind(id == '' and 'no id' or id, 'ch', context)
  context.title, context.id = text, id
  local label = { number = context.number, page = context.page,
    text = context.appendix }
  if context.number == '0' then label.text = text end
  labels.define(id, label, context)
  return context.appendix or context.number, id
end

local function section(block, id, text, context)
  local count
  if block.level == 2 then count = labels.next_number('sec', context) end
  if context.number == '0' then count = nil end
  if id == '' then
    id = labels.free_id('s' .. context.number:lower() .. '-' .. terms.id(text))
  end
  labels.define(id, { number = count, page = context.page,
    text = not count and text or nil }, context)
  context.heading = text
  if block.level == 2 then
    table.insert(context.sections, { id = id, number = count, title = text })
  end
  return count, id
end

local function heading(block, context)
  local content = inlines.paragraph(block.content, context)
  if block.level == 1 and context.title then
    report.stop(context, 'a chapter has one heading of the first level')
  end
  local text, id = pandoc.utils.stringify(content), block.identifier
  local count
  if block.level == 1 then
    count, id = title(id, text, context)
  else
    count, id = section(block, id, text, context)
  end
  if count and context.number ~= '0' then
    content:insert(1, pandoc.Space())
    content:insert(1, pandoc.Span({ pandoc.Str(count) },
      pandoc.Attr('', { 'number' })))
  end
  return { pandoc.Header(block.level, content, pandoc.Attr(id)) }
end

-- The blocks of a question, and the div of its answer.
local function parted(block, what, context)
  local body, answers = pandoc.List {}, pandoc.List {}
  for _, inner in ipairs(block.content) do
    local is_answer = inner.t == 'Div' and inner.classes:includes 'answer'
    table.insert(is_answer and answers or body, inner)
  end
  if #answers ~= 1 then
    report.stop(context, '%s has %s', what,
      #answers == 0 and 'no answer' or 'two answers')
  end
  return body, answers[1]
end

-- Blocks between two pieces of HTML.
local function between(before, blocks, after)
  return pandoc.List { raw(before) } .. blocks .. { raw(after) }
end

-- A question to stop at; its answer is folded where that can be.
local function check(block, context)
  local body, answer = parted(block, 'the question', context)
  return between('<div class="box check" role="note" aria-label="Check '
    .. 'yourself"><p class="box-title">Check yourself</p>',
    context.blocks(body, context)
      .. between('<details><summary>Answer</summary>',
        context.blocks(answer.content, context), '</details>'), '</div>')
end

-- The question stays here; the answer goes to the page of answers.
local function exercise(block, context)
  local id, count = frames.number('ex', block.identifier, context)
  local answer_id, name = id:gsub('^ex%-', 'answer-'), 'Exercise ' .. count
  local body, answer = parted(block, 'exercise "' .. id .. '"', context)
  local page = context.page
  context.page = chapter.answers_page
  inlines.locate(answer, context)
  labels.define(answer_id, { text = 'answer ' .. count, page = context.page },
    context)
  answer = context.blocks(answer.content, context)
  context.page = page
  local question = pandoc.List { pandoc.Para { pandoc.Strong {
    pandoc.Str(name) } } } .. context.blocks(body, context)
  if chapter.for_students then
    chapter.answers = pandoc.List { pandoc.Para(
      'This is the students\u{2019} book: it has no answers.') }
  else
    question:insert(pandoc.Para {
      inlines.link_to(answer_id, 'own', 'Answer') })
    chapter.answers:extend(between(
      '<section class="answer" id="' .. answer_id .. '">',
      pandoc.List { pandoc.Para { pandoc.Strong {
        inlines.link_to(id, 'own', name) } } } .. answer, '</section>'))
  end
  return between('<section class="exercise" id="' .. id .. '">', question,
    '</section>')
end

local function aside(block, class, context)
  local name, title = ASIDES[class], pandoc.List {}
  if class ~= 'aside' then
    title:insert(raw('<p class="box-title">' .. name .. '</p>'))
  end
  return between(string.format(
    '<div class="box %s" role="note" aria-label="%s">', class, name),
    title .. context.blocks(block.content, context), '</div>')
end

local function div(block, context)
  local class = block.classes[1]
  if class == 'check' then return check(block, context) end
  if class == 'exercise' then return exercise(block, context) end
  if ASIDES[class or ''] then return aside(block, class, context) end
  local list = definition_lists.kinds[class or '']
  if list then return list(block, context) end
  report.stop(context, class == 'table'
    and 'a table from data is a fenced code block, not a div'
    or 'there is no block of class "%s"', class or '#' .. block.identifier)
end

-- A list or a table: the blocks in it as a chapter shows them.
local function nested(block, context)
  if block.t == 'Table' then block.attr = pandoc.Attr() end
  return { block:walk { traverse = 'topdown',
    Blocks = function(list) return context.blocks(list, context), false end,
    Inlines = function(list) return inlines.paragraph(list, context), false end
  } }
end

local handlers = { CodeBlock = frames.code_block, Header = heading, Div = div,
  Table = nested, BulletList = nested, OrderedList = nested,
  DefinitionList = nested }

function handlers.Para(block, context, _, before)
  local last = before[#before]
  if last and last.t == 'Table' and
      pandoc.utils.stringify(block):match('^:%s') then
    before:remove(#before)
    return frames.table_caption(block.content, context, last)
  end
  return { pandoc.Para(inlines.paragraph(block.content, context)) }
end

function handlers.Plain(block, context)
  return { pandoc.Plain(inlines.paragraph(block.content, context)) }
end

function handlers.RawBlock(block, context)
  report.stop(context, '%s is not for chapters',
    block.t == 'RawBlock' and 'raw HTML or TeX' or 'a ' .. block.t)
end

-- The blocks of a text, as a chapter shows them.
function chapter.blocks(list, context)
  local result = pandoc.List {}
  for _, wrapped in ipairs(list) do
    local block, attributes = inlines.unwrapped(wrapped, context)
    result:extend(report.attempt(handlers[block.t] or handlers.RawBlock,
      block, context, attributes, result) or {})
  end
  return result
end

-- What is known while a file is read, the blocks of which go to this page.
function chapter.context(file, page)
  local number, appendix = chapter.number_of(file)
  return { file = file, line = 1, page = page, count = {}, sections = {},
    number = number, appendix = appendix, blocks = chapter.blocks }
end

-- Reads a chapter: {title, id, number, sections, blocks, page, file}.
function chapter.read(file, page)
  local context = chapter.context(file, page)
  local text = files.text(file)
  local blocks = chapter.blocks(inlines.read(text or ''), context)
  if not context.title then
    report.line(file, 1, text and 'a chapter begins with "# Title {#ch-name}"'
      or 'there is no such file')
  end
  return { title = context.title or file, id = context.id,
    number = context.appendix or context.number, sections = context.sections,
    blocks = blocks, page = page, file = file }
end

return chapter
