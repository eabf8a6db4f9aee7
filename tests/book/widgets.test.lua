#!tests/lua.sh
-- The models behind the widgets are right, and a wrong one would be seen; pages
-- with widgets have what they need, and only these.
local test = dofile 'tests/book/book.lua'
local widgets = test.scratch .. '/widgets'
local check = 'node tests/book/check/widgets.js "$1" . "$2"'

for _, case in ipairs {
  {'wavefronts, as Nsight Compute counts 96 patterns', 'bank-conflicts'},
  {'online softmax, against softmax at once', 'online-softmax'},
  {'the pipeline, against closed forms and tick by tick', 'pipeline'},
  {'settings and drawings', 'drawing'},
} do
  test.holds(case[1], check, 'book/widgets', case[2])
end

-- ---- the testers ----
test.must('cp -R book/widgets "$1"', widgets)
for _, case in ipairs {
  {'bank-conflicts',
    {'pairs are not served together', 's/pairs ? 2 \\* lanes/pairs ? lanes/'},
    {'pairs are served together in stores', "s/kind === 'load'/true/"},
    {'only neighbours are a pair', 's/inPairs(addresses, 1) || ' ..
      'inPairs(addresses, 2)/inPairs(addresses, 1)/'},
    {'a bank has 8 bytes', 's/WORD = 4/WORD = 8/'},
    {'lanes that read one word wait', 's/if (known)/if (false)/'}},
  {'online-softmax',
    {'l is not rescaled', 's/l: l \\* factor + sum/l: l + sum/'},
    {'o is not rescaled', 's/o: o \\* factor + product/o: o + product/'},
    {'m forgets', 's/Math.max(m, /Math.max(/'},
    {"a value is another's", 's/values\\[i\\]/values[0]/'}},
  {'pipeline',
    {'a slot is free too early',
      's/list\\[n - slots\\].compute\\[1\\]/list[n - slots].compute[0]/'},
    {'one slot more', 's/n < slots ?/n <= slots ?/'},
    {'copies never take turns', 's/n && inTurn/n \\&\\& false/'},
    {'nobody waits for a copy', 's/Math.max(ready, /Math.max(0, /'}},
  {'drawing',
    {'a drawing with a hole', 's/show(value), { weight }/' ..
      'show(value.x), { weight }/', 'online-softmax.js'},
    {'a number may be too large', 's/ && value <= max) / ) /', 'fields.js'}},
} do
  local model = case[1]
  for _, fault in ipairs {table.unpack(case, 2)} do
    local name, script, file = table.unpack(fault)
    test.spoilt(name, widgets .. '/' .. (file or model .. '.model.js'), script,
      function()
        local said, code = test.sh(check, widgets, model)
        return said, said:find ' bad\n' and code or 0
      end)
  end
end

-- ---- the pages ----
test.environment.BOOK_FORMATS = 'html'
test.builds('the sample book builds', test.sample)
for _, case in ipairs {
  {'a widget is a figure with a number',
    '<figure class="drawing widget" data-widget="pipeline" .*id="fig-ring"'},
  {'and a reference reads so', '>Figure.3\\.4</a>'},
  {'its picture is there without JavaScript',
    '<svg role="img" aria-label="A timeline[^"]*" .*class="plot" viewBox='},
  {'its settings are those of the chapter', 'data-start="slots = 3&#10;'},
  {'  in the picture too', '>slot 2</text>'},
} do
  test.shows(case[1], '03-second.html', case[2])
end
for name in ('fields svg pipeline.model pipeline upgrade'):gmatch '%S+' do
  test.shows('the page loads ' .. name .. '.js', '03-second.html',
    '<script src="widgets/' .. name .. '.js" defer>')
end
local function loads(page, pattern)
  return test.read(test.html .. '/' .. page):find(pattern)
end
test.ok(not loads('03-second.html', 'widgets/bank%-conflicts'),
  'and no other widget')
test.ok(not loads('02-first.html', 'src="widgets/') and
  not loads('index.html', 'src="widgets/'), 'pages without a widget load none')
test.finish()
