-- The block of a figure that draws recorded things side by side and marks the
-- same number in all of them. A line is "WORD NUMBER", once, or "REF | LABEL".
--   kind.word   what is marked
--   kind.get    (REF, where): the recorded thing; nil if it is none, reported
--   kind.needs  the sentence where a mark lacks, or things do, or are too many
--   kind.most   how many things there may be
-- Gives the list of {thing, label} and the number as text; nil on an error.
local plot = require 'figures.plot'
local report = require 'common.report'
local typed = require 'text.typed_figures'

return function(block, context, kind)
  local list, marked, well = {}, nil, true
  for _, line in plot.lines(block, context) do
    local number = line.text:match('^%s*' .. kind.word .. ' (%d+)%s*$')
    local fields = plot.fields(line.text)
    if number and not marked then
      marked = number
    elseif #fields == 2 then
      typed.check(fields[2], line.where)
      local thing = kind.get(fields[1], line.where)
      well = well and thing
      list[#list + 1] = { thing = thing, label = fields[2] }
    else
      report.at(line.where, 'a line is "REF | LABEL", or once "%s NUMBER"',
        kind.word)
      well = false
    end
  end
  if well and (not marked or #list == 0 or #list > kind.most) then
    report.at(context, '%s', kind.needs)
    well = false
  end
  return well and list or nil, marked
end
