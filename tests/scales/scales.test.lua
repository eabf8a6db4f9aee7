#!tests/lua.sh
-- make scales: what it writes of short sequences, and what the book's record
-- says. (tests/more/scales.more.lua makes that record again.)
local test = dofile 'tests/lib.lua'
local program, folder = 'build/tools/scales ', test.scratch
local found = {}

test.ends('96 rows', 0, 'wrote ' .. folder .. '/scales.json',
  program .. folder .. ' 96')
found.short = test.json(folder .. '/scales.json')
found.recorded = test.json 'results/scales.json'
test.ok(found.short and found.recorded and found.short.rows == 96 and
  found.recorded.rows == 512, 'both are there')

for name, record in pairs(found) do
  local s, missing = record.schemes, {}
  for scheme, inputs in pairs(found.short.schemes) do
    for input in pairs(inputs) do
      local error = s[scheme] and s[scheme][input].inputs
      if not error or error.all <= 0 or error.all > error.worst then
        table.insert(missing, scheme .. ' ' .. input)
      end
    end
  end
  test.ok(#missing == 0, name .. ': each scheme on each input',
    table.concat(missing, '\n'))
  -- What needs no measuring: bf16 has 5 bits more; one large number in a
  -- thousand is what a rotation is for, and a mean of 4 what taking it out is.
  test.ok(s.bf16.normal.inputs.all < s.head.normal.inputs.all / 8,
    name .. ': bf16 is finer')
  test.ok(s.rotated.outliers.inputs.all < 0.9 * s.head.outliers.inputs.all,
    name .. ': a rotation spreads outliers')
  test.ok(s.v_mean.offset.p.all < 0.5 * s.head.offset.p.all,
    name .. ": the mean of V taken out makes codes finer")
  test.ok(record.channels.offset.v.mean.median > 3.5 and
    record.channels.normal.v.mean.median < 0.5, name .. ': means by channel')
end
test.ok(found.recorded.sinks.real_5.key == 0, 'the sink is [CLS]')

for _, case in ipairs {
  {'no folder', 2, 'Usage: scales FOLDER', ''},
  {'no number of rows', 2, 'Usage: scales FOLDER', folder .. ' many'},
  {'too many rows', 2, 'from 1 to 4096', folder .. ' 4097'},
  {'a folder that cannot be', 3, '/dev/null', '/dev/null/x 1'},
} do
  local name, code, text, words = table.unpack(case)
  test.ends(name, code, text, program .. words)
end
test.finish()
