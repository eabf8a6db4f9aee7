-- Terms: where a text names one, and a link to the glossary where a later
-- chapter names it first.
local terms = {}

function terms.id(text)
  local words = text:lower():gsub('[^%w]+', '-'):gsub('^%-', '')
  return (words:gsub('%-$', ''))
end

local function stem_of(term)
  term.stem = term.stem or term.text:lower():gsub('([^s])s$', '%1')
  return term.stem
end

local function pattern_of(stem)
  return '%f[%w]' .. stem:gsub('%p', '%%%0') .. 'e?s?%f[^%w]'
end

-- Where a text in lower case names a term, in whichever number; not in a
-- compound.
function terms.find(lower, term)
  -- Most texts don't have most terms, and this finds out quickly.
  if not lower:find(stem_of(term), 1, true) then return nil end
  term.pattern = term.pattern or pattern_of(term.stem)
  local from = 1
  while true do
    local first, last = lower:find(term.pattern, from)
    if not first then return nil end
    if not lower:sub(1, first - 1):find('[-._@]$') and
        not lower:sub(last + 1):find('^[-_.]%w') then
      return first, last
    end
    from = last + 1
  end
end

local function put_text(out, text)
  for word, space in text:gmatch('([^ ]*)( ?)') do
    if word ~= '' then out:insert(pandoc.Str(word)) end
    if space ~= '' then out:insert(pandoc.Space()) end
  end
end

local function link(text, term)
  local content = pandoc.List {}
  put_text(content, text)
  return pandoc.Link(content, '#gloss-' .. terms.id(term.text), term.meaning,
    pandoc.Attr('', { 'glossary' }))
end

-- Puts out a text with the first use of each open term linked.
local function put_linked(out, text, open)
  local first, last, which
  local lower = text:lower()
  for index, term in ipairs(open) do
    local from, to = terms.find(lower, term)
    if from and (not first or from < first or
        from == first and to > last) then
      first, last, which = from, to, index
    end
  end
  if not first then return put_text(out, text) end
  local term = table.remove(open, which)
  put_text(out, text:sub(1, first - 1))
  out:insert(link(text:sub(first, last), term))
  put_linked(out, text:sub(last + 1), open)
end

local NESTED = { Emph = true, Strong = true }

local function link_inlines(list, open)
  local out, text, in_term = pandoc.List {}, '', false
  local function flush()
    put_linked(out, text, open)
    text = ''
  end
  for _, element in ipairs(list) do
    if element.t == 'RawInline' then
      flush()
      in_term = element.text:find('^<dfn') ~= nil
      out:insert(element)
    elseif not in_term and element.t == 'Str' then
      text = text .. element.text
    elseif not in_term and element.t == 'Space' then
      text = text .. ' '
    else
      flush()
      if NESTED[element.t] then
        element.content = link_inlines(element.content, open)
      end
      out:insert(element)
    end
  end
  flush()
  return out
end

-- Those terms that a text may hold. To take blocks to pieces takes long, and
-- most have none.
local function may_name(blocks, open)
  local lower, list = pandoc.utils.stringify(blocks):lower(), {}
  for _, term in ipairs(open) do
    if lower:find(stem_of(term), 1, true) then list[#list + 1] = term end
  end
  return list
end

-- The list `open` loses those that are linked.
local function link_blocks(blocks, open)
  for index, block in ipairs(blocks) do
    if #open == 0 then return end
    local kind = may_name(block, open)[1] and block.t
    if kind == 'Para' then
      blocks[index] = pandoc.Para(link_inlines(block.content, open))
    elseif kind == 'BulletList' or kind == 'OrderedList' then
      local items = block.content
      for _, item in ipairs(items) do
        if item[1] and item[1].t == 'Plain' then
          item[1] = pandoc.Plain(link_inlines(item[1].content, open))
        end
        link_blocks(item, open)
      end
      block.content = items
      blocks[index] = block
    end
  end
end

-- Links the first use of each of these terms in running text: paragraphs and
-- items of lists.
function terms.link(blocks, known)
  link_blocks(blocks, may_name(pandoc.Blocks(blocks), known))
end

return terms
