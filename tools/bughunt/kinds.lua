-- The kinds of mistakes in a hunt: the rules of tools/mutants that make one,
-- how a hint calls it, and words, or their beginnings, by which a sentence may
-- name it; the kind's own name is among them. Rules whose code would catch the
-- eye, as `true` in place of a condition, are in no kind.
local kinds = {
  {name = 'barrier', hint = 'threads that should meet at a barrier',
    rules = {'barrier-removed', 'barrier-up', 'barrier-down', 'count-over'},
    words = {'barrier', 'sync', 'meet'}},
  {name = 'wait', hint = 'a wait that does not wait for what it should',
    rules = {'wait-removed', 'wait-up', 'wait-down', 'phase-off', 'slot-off'},
    words = {'wait', 'phase', 'parity'}},
  {name = 'commit', hint = 'copies that are not put into a group in time',
    rules = {'commit-removed', 'commit-up', 'commit-down'},
    words = {'commit', 'group'}},
  {name = 'fence', hint = 'a fence',
    rules = {'fence-removed', 'fence-up', 'fence-down'}, words = {'fence'}},
  {name = 'arrival', hint = 'an arrival that others count on',
    rules = {'arrival-removed', 'arrival-up', 'arrival-down'},
    words = {'arriv', 'release', 'announce'}},
  {name = 'missing', hint = 'a statement that is not there',
    rules = {'statement-left-out'}, words = {'missing', 'left out', 'lacks'}},
  {name = 'sum', hint = 'a sum', rules = {'sum-restarted'},
    words = {'sum', 'accumulat'}},
  {name = 'limit', hint = 'where something begins or ends',
    rules = {'less', 'less-or-equal', 'greater', 'greater-or-equal',
      'loop-late', 'loop-long'},
    words = {'limit', 'bound', 'off by one'}},
  {name = 'operator', hint = 'one operator for another',
    rules = {'equal', 'and', 'or', 'minus'},
    words = {'operator', 'condition', 'sign'}},
  {name = 'start', hint = 'the value with which something starts',
    rules = {'start'}, words = {'start', 'initial'}},
  {name = 'largest', hint = 'a maximum', rules = {'largest'},
    words = {'largest', 'maximum', 'minimum'}},
  {name = 'banks', hint = 'banks of shared memory', rules = {},
    words = {'bank', 'padding', 'swizzle'}},
  {name = 'coalescing', hint = 'what the lanes of a warp read side by side',
    rules = {}, words = {'coalesc', 'sector'}},
  {name = 'overlap', hint = 'a copy and the arithmetic that should overlap',
    rules = {}, words = {'overlap', 'at once'}},
  {name = 'reduction', hint = 'what lanes tell each other', rules = {},
    words = {'reduc', 'shuffle', 'quad'}},
  {name = 'serialised', hint = 'warps that stand still for nothing', rules = {},
    words = {'serialis', 'twice', 'too many'}},
}

local by_rule, by_name = {}, {}
for _, kind in ipairs(kinds) do
  by_name[kind.name] = kind
  for _, rule in ipairs(kind.rules) do by_rule[rule] = kind end
end

return {all = kinds, by_rule = by_rule, by_name = by_name}
