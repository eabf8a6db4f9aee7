#!tests/lua.sh
-- The slides: all of them resolve, each file is whole by itself, and what a
-- teacher may write wrongly is refused in a sentence. In a browser:
-- tests/more/slides.more.sh.
-- takes: 8 s
local test = dofile 'tests/lib.lua'
if test.sh 'tools/setup/pandoc.sh' ~= '' then
  test.skip('slides', 'pandoc is not installed; make setup')
  test.finish()
end
local kept = test.folder .. '/build/ccache/book'
test.environment.BOOK_KEPT = kept
test.enter_copy 'sources'

local function build(name, code, wanted, out, student)
  test.environment.BOOK_STUDENT = student or false
  return test.ends(name, code, wanted, 'book/slides/build.sh . "$1"', out)
end

-- ---- the slides of the workshop ----

build('the slides build', 0, 'slides.html', 'one')
local page = test.read 'one/slides.html' or ''
local handout = test.read 'one/handout.html' or ''
local sources = test.must 'cat workshop/slides/*.md'

local function count(text, plain)
  return select(2, text:gsub(plain:gsub('%p', '%%%0'), ''))
end
local written = count('\n' .. sources, '\n## ')
test.ok(written >= 60 and count(page, '<section class="slide') == written + 1,
  'each slide is there, and one in front', written)
test.ok(count(page, '<aside class="notes"') == written + 1 and
  count(handout, '<aside class="notes"') == written + 1, 'each has its notes')

-- What would make a browser ask for something.
local function asks(text)
  local found = {}
  for _, pattern in ipairs {'<link[ >]', '<img[ >]', '<script[^>]* src',
      '<iframe', '@import', 'url%(%s*["\']?%s*[^)d#"\' ][^)]*', ' src="',
      'fetch%(', 'XMLHttpRequest', '<use[^>]*href="[^#]'} do
    found[#found + 1] = text:match(pattern)
  end
  return table.concat(found, '\n')
end
test.ok(asks(page) == '', 'the slides ask for nothing', asks(page))
test.ok(asks(handout) == '', 'nor does the handout', asks(handout))
test.ok(asks '<img src="x.png">' ~= '' and
  asks 'src: url(fonts/a.woff2)' ~= '' and asks 'url(data:font)' == '',
  'this test sees what asks')

-- A number on a slide is the one in the recorded result.
local run = 'results/nvidia-h200/2026-11-21/'
local noise = test.json(run .. 'stage4/stage4_three_stage.json') or
  test.json(run .. 'stage4_three_stage.json')
test.ok(test.has(page:gsub('%s+', ' '), '>' .. string.format('%.2f',
  noise.perf.long.graph.noise_us) .. '</span> at <code>long'),
  'a number is that of its result')

local stages = {}
for id in sources:gmatch '\n# [^\n]*{#ch%-stage(%d+)}' do stages[id] = true end
local missing = {}
for number = 0, 17 do
  if not stages[tostring(number)] then missing[#missing + 1] = number end
end
test.ok(#missing == 0, 'all stages have slides', table.concat(missing, ' '))
local unknown = {}
for lab in sources:gmatch 'make (lab[%w]+)' do
  if test.sh('ls labs/*/"$1".lab', lab):find 'cannot' then
    unknown[#unknown + 1] = lab
  end
end
test.ok(#unknown == 0, 'the labs that they send to exist',
  table.concat(unknown, ' '))

-- ---- for students ----

-- Of the first file alone, to be quick: the bytes of the first build, but
-- for the notes and for how many slides there are.
test.must 'rm workshop/slides/[2-9]*'
local function sections(text)
  return text:gsub('<aside class="notes".-</aside>\n', '')
    :match('(<section[^>]* id="2".*</section>)'):gsub('( of )%d+"', '%1"')
end
build('one file of slides, for students', 0, 'slides.html', 'two', '1')
for name, text in pairs {slides = page, handout = handout} do
  local shown = test.read('two/' .. name .. '.html') or ''
  test.ok(test.has(sections(text), sections(shown)) and
    not shown:find '<aside', 'their ' .. name .. ': all but the notes')
end
build('a wrong STUDENT', 2, "STUDENT is 'yes'", 'three',
  'yes')

-- ---- what is refused, each with its line ----

local FINE = '\n::: {.notes}\n**Say.** This.\n:::\n'
local bad = {
  {'## Alone\n\nA line.\n' .. FINE, 'before the first slide stands'},
  {'# Nowhere {#ch-nowhere}\n', 'there is no chapter "ch-nowhere"'},
  {'# Part {#ch-stage4}\n'},
  {'## No notes\n\nA line.\n', 'this slide has no notes'},
  {'## Wordless\n\nA line.\n\n::: {.notes}\nWell.\n:::\n', 'have neither'},
  {'##\n\nA line.\n' .. FINE, 'this slide has no title'},
  {'## Empty\n' .. FINE, 'this slide is empty'},
  {'## Six\n\n' .. ('- a\n'):rep(6) .. FINE, 'has 6 lines: 5 are'},
  {'## Three beside\n\n- a\n- b\n- c\n\n@fig-stage5-slots\n' .. FINE,
    '3 lines beside what it shows: 2'},
  {'## Long\n\n' .. ('x'):rep(111) .. '\n' .. FINE, '111 characters: 110'},
  {'## A drawing\n\n@fig-nowhere\n' .. FINE,
    'no chapter has a drawing or table "fig-nowhere"'},
  {'## Twice\n\n@fig-stage5-slots\n' .. FINE,
    '"fig-stage5-slots" is shown on an earlier'},
  {'## Two things\n\n@fig-stage4-ring\n\n@tbl-stage4-times\n' .. FINE,
    'a slide shows one thing'},
  {'## A region\n\n```{.cuda file="stage4_three_stage/kernel.cu" ' ..
    'region="none"}\n```\n' .. FINE, 'there is no region "none"'},
  {'## An answer\n\n```{.cuda file="stage4_three_stage/kernel.cu" ' ..
    'region="load-kv"}\n```\n' .. FINE, 'lab4 asks for "load-kv"'},
  {'## Much code\n\n```{.cuda file="further/stage8_split_keys/kernel.cu" ' ..
    'region="p-times-v" whole="yes"}\n```\n' .. FINE, 'lines: 22 are the most'},
  {'## A number\n\n[stage4_three_stage:perf/none/p50_us]{.num}\n' .. FINE,
    'perf/none'},
  {'## By hand\n\nIt saves 12 %.\n' .. FINE, 'typed by hand'},
  {'## By hand, in notes\n\nA line.\n\n::: {.notes}\n**Say.** 12 µs.\n:::\n',
    'typed by hand'},
  {'## A reference\n\nSee @ch-none.\n' .. FINE,
    'there is nothing with the id "ch-none"'},
  {'### Below\n', 'a slide has no headings'},
}
test.must 'rm workshop/slides/*'
local text, wanted = '', {'the slides are not built'}
for _, case in ipairs(bad) do
  if case[2] then
    local line = select(2, text:gsub('\n', '')) + 1
    wanted[#wanted + 1] = {line, case[2]}
  end
  text = text .. case[1] .. '\n'
end
test.write('workshop/slides/bad.md', text)
local answer = build('a broken deck is refused', 1, wanted[1], 'one')
for index = 2, #wanted do
  local first, sentence = table.unpack(wanted[index])
  local behind = wanted[index + 1] and wanted[index + 1][1] or math.huge
  local hits = {}
  for line in answer:gmatch '[^\n]+' do
    local number = tonumber(line:match '^workshop/slides/bad%.md:(%d+): ')
    if number and number >= first and number < behind then
      hits[#hits + 1] = test.has(line, sentence)
    end
  end
  test.ok(#hits == 1 and hits[1], 'refused by one sentence: ' .. sentence,
    answer)
end
test.ok(select(2, answer:gsub('\n', '')) == #wanted, 'and nothing else is',
  answer)
test.ok(test.read 'one/slides.html' == page, 'the last good slides stay')
test.finish()
