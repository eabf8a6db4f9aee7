-- Terms: where a text names one, and a link to the glossary where a later
-- chapter names it first.
local terms = {}

function terms.id(text)
  return (text:lower():gsub('[^%w]+', '-'):gsub('^%-', ''):gsub('%-$', ''))
end

local function stem_of(term)
  term.stem = term.stem or term.text:lower():gsub('([^s])s$', '%1')
  return term.stem
end

-- Where a text in lower case names a term, in whichever number; not in a
-- compound.
local function find(lower, term)
  -- Most texts don't have most terms, and this finds out quickly.
  if not lower:find(stem_of(term), 1, true) then return nil end
  term.pattern = term.pattern or '()%f[%w]' .. term.stem:gsub('%p', '%%%0')
    .. 'e?s?%f[^%w]()'
  for first, behind in lower:gmatch(term.pattern) do
    if not lower:sub(1, first - 1):find('[-._@]$') and
        not lower:sub(behind):find('^[-_.]%w') then
      return first, behind - 1
    end
  end
end

-- The words of a text with the first use of each open term linked.
local function linked(text, open)
  local first, last, which
  local lower = text:lower()
  for index, term in ipairs(open) do
    local from, to = find(lower, term)
    if from and (not first or from < first or
        from == first and to > last) then
      first, last, which = from, to, index
    end
  end
  if not first then return pandoc.Inlines(text) end
  local term = table.remove(open, which)
  return pandoc.Inlines(text:sub(1, first - 1)) .. { pandoc.Link(
    pandoc.Inlines(text:sub(first, last)), '#gloss-' .. terms.id(term.text),
    term.meaning, pandoc.Attr('', { 'glossary' })) }
    .. linked(text:sub(last + 1), open)
end

local function link_inlines(list, open)
  local out, text, in_term = pandoc.List {}, '', false
  for _, element in ipairs(list) do
    local kind = element.t
    if not in_term and (kind == 'Str' or kind == 'Space') then
      text = text .. (kind == 'Str' and element.text or ' ')
    else
      out:extend(linked(text, open))
      text = ''
      if kind == 'Emph' or kind == 'Strong' then
        element.content = link_inlines(element.content, open)
      end
      in_term = kind == 'RawInline' and element.text:find('^<dfn') ~= nil
        or kind ~= 'RawInline' and in_term
      out:insert(element)
    end
  end
  out:extend(linked(text, open))
  return out
end

-- Links the first use of each of these terms in running text: paragraphs and
-- items of lists.
function terms.link(blocks, known)
  local open = pandoc.List(known):clone()
  local function link_blocks(list)
    for index, block in ipairs(list) do
      local kind = block.t
      if kind == 'Para' then
        list[index] = pandoc.Para(link_inlines(block.content, open))
      elseif kind == 'BulletList' or kind == 'OrderedList' then
        local items = block.content
        for _, item in ipairs(items) do
          if item[1] and item[1].t == 'Plain' then
            item[1] = pandoc.Plain(link_inlines(item[1].content, open))
          end
          link_blocks(item)
        end
        block.content = items
        list[index] = block
      end
    end
  end
  link_blocks(blocks)
end

return terms
