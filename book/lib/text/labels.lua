-- Numbered things and references to them: "@fig-ladder" finds {#fig-ladder}.
local report = require 'common.report'
local labels = { by_id = {} }

labels.names = { lst = 'Listing', fig = 'Figure', tbl = 'Table',
  eq = 'Equation', ch = 'Chapter', sec = 'Section', ex = 'Exercise', src = '' }

function labels.kind(id)
  local kind = id:match('^(%l+)%-')
  return labels.names[kind] and kind
end

-- Every id of the book is unique; returns whether this one was new.
function labels.define(id, label, where)
  local first = labels.by_id[id]
  if first then
    return report.at(where, 'id "%s" is taken: %s line %d', id,
      first.where.file, first.where.line)
  end
  label.where = { file = where.file, line = where.line }
  labels.by_id[id] = label
  return true
end

-- An id for something that its author gave none; base is made unique.
function labels.free_id(base)
  local id, count = base, 1
  while labels.by_id[id] do
    count = count + 1
    id = base .. '-' .. count
  end
  return id
end

-- "2.3": the next of a kind in this chapter.
function labels.next_number(kind, context)
  context.count[kind] = (context.count[kind] or 0) + 1
  return context.number .. '.' .. context.count[kind]
end

function labels.check_kind(id, kind, where)
  if id ~= '' and labels.kind(id) ~= kind then
    report.at(where, 'the id "%s" must begin with "%s-"', id, kind)
  end
end

-- What a reference to an id reads: "Figure 2.1".
function labels.text(id)
  local label = labels.by_id[id]
  local name = labels.names[labels.kind(id)]
  if label.text then return label.text end
  return name .. '\u{a0}' .. label.number
end

return labels
