#!tests/lua.sh
-- The earlier project's claims: every field is there, and no tool takes them
-- for results of this project.
local test = dofile 'tests/lib.lua'
local claims = 'results/original-l4/claims.json'
local page = test.read 'results/COMPARE.md'
local chapter = test.read 'chapters/21-how-we-fooled-ourselves.md'
local names_folder = (test.read 'chapters/book.yaml' .. test.read 'README.md')
  :find 'original%-l4'

test.ends('every claim has its fields, and words from the lists', 0, '',
  'tests/original/claims.lua ' .. claims)
local spoilt = test.scratch .. '/spoilt.json'
local stage2 = test.read(claims):match '"id": "stage2",.-("file": "[^"]*",)'
for _, case in ipairs {
  {'a field that is missing', stage2, '"f": "",', 'stage2 has no file'},
  {'a verdict of no list', '"verdict": "weak"', '"verdict": "fine"',
    'there is no verdict "fine"'},
  {'a commit that is none', '"commit": "f686', '"commit": "v2.0-',
    'is no commit'},
  {'a figure in words', '"after_us": 656.38', '"after_us": "656"', 'no number'},
  {'a claim twice', '"id": "stage3a"', '"id": "stage2"', 'twice'},
} do
  test.write(spoilt, test.read(claims))
  test.edit(spoilt, case[2], case[3])
  test.ends(case[1], 1, case[4], 'tests/original/claims.lua ' .. spoilt)
end

-- A result with a stage's name in that folder is the most that could go wrong.
test.enter_copy()
local run = test.must 'find results -name stage1_cp_async.json':match '[^\n]+'
for stage, p50 in pairs {stage1_cp_async = '0.001', stage0_scalar = '0.002'} do
  test.write('results/original-l4/' .. stage .. '.json', (test.read(run)
    :gsub('("p50_us": )[%d.]*', '%1' .. p50)))
end
local said, code = test.sh 'make stage0 stage1 compare'
test.ok(code == 0 and not said:find(' 0.00 ', 1, true),
  'compare of two stages looks elsewhere', said)
said = test.sh 'make compare'
test.ok(test.read 'results/COMPARE.md' == page,
  'compare of all writes the same page', said)
test.ends("the README's table is the same", 0, '',
  'tools/readme/readme.lua --check')
said = test.sh 'make stage1 profile TARGET=cpu'
test.ok(not said:find 'original', 'profile reads elsewhere', said)
said, code = test.sh('build/tools/compare ' .. run .. ' ' .. claims)
test.ok(code ~= 0, 'compare refuses the claims as a result', said)
test.ok(not names_folder,
  "neither the book's results nor the README name the folder")
said = test.must [[find results -mindepth 2 -maxdepth 3 -name '2*' -prune -o \
  -path '*original-l4/*' -type d -print]]
test.ok(said == '', 'no dated folder in it', said)
test.ok(chapter:find('rows results/original-l4/claims.json:claims ', 1, true),
  "the chapter's table is made of the claims")
test.finish()
