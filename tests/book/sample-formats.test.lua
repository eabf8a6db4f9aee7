#!tests/lua.sh
-- The PDF and the EPUB of the sample book: each is in order, they carry what
-- the pages carry, and what checks them finds what was spoilt.
-- takes: 100 s
local formats = dofile 'tests/book/formats.lua'
local test, same, pdf = formats.test, formats.same, formats.pdf
local holds, scratch = test.holds, test.scratch
local sample = scratch .. '/sample'

test.must('mkdir "$1/sample" "$1/again"', scratch)
test.environment.BOOK_SITE = 'https://example.org'
test.builds('the sample book builds in three formats', test.sample,
  sample .. '/html')
test.builds('  and once more', test.sample, scratch .. '/again/html')
holds('  the same, byte for byte', 'diff -rq "$1/html" "$2/html"', sample,
  scratch .. '/again')
test.environment.BOOK_SITE = nil
formats.check(sample, 'sample')
local heads = 'node tests/book/check/heads.js "$1/html" https://example.org'
holds('its pages name a picture that is there', heads, sample)
test.spoilt('the picture has another size', sample .. '/html/index.html',
  '/image:width/s/1200/1201/', heads, sample)
for _, case in ipairs {
  {'a formula is MathML with its text', '01-method.xhtml',
    '<math alttext="[^"]+" xmlns="http://www.w3.org/1998/Math/MathML"'},
  {'a drawing has a text and white paper', '03-second.xhtml',
    '<svg role="img" aria-label="[^"]+".*><rect [^>]*fill="#fff"/>'},
  {'the contents have chapters and sections', 'nav.xhtml',
    '<a href="01-method.xhtml#[^"]+">1.1 '},
  {'  and an appendix by its name', 'nav.xhtml',
    '<a href="A-extra.xhtml">Appendix.A What was left out<'},
  {"the identifier is the book's", 'book.opf',
    '<dc:identifier id="id">urn:uuid:35015078-68eb-448e-9024-1b98d1f2b70e<'},
  {"an address leads to the EPUB's own page", '03-second.xhtml',
    'href="02-first.xhtml#lst-kernel"'},
  {'the cover is known as such', 'book.opf',
    'href="cover.svg" media-type="image/svg.xml" properties="cover-image"/>'},
  {'  and has a bar as long as its figure', 'cover.svg',
    '<rect x="230" y="900.0" width="365.5" '},
  {'  and a text that says the figures', 'cover.xhtml',
    'alt="A sample book. Bars of measured figures: Stage 0: .*; Stage 1: 38.6'},
} do
  test.shows(case[1], sample .. '/epub/EPUB/' .. case[2], case[3])
end
holds("the EPUB's colours can be read on white and on black",
  'node tests/book/check/colours.js "$1"', sample .. '/epub/EPUB/book.css')
test.shows('the first page links both', sample .. '/html/index.html',
  'href="sample.pdf".*href="sample.epub"')

-- ---- the testers ----
local three = 'epub/EPUB/03-second.xhtml'
for _, case in ipairs {
  {'the EPUB lacks a figure', three, '/<svg/,/<\\/svg>/d'},
  {'the EPUB lacks a line of a listing', three,
    '0,/<span class="line added">/s/<span class="line added">.*//'},
  {'the EPUB has another number', three, 's/>1\\.59</>1.60</'},
  {'the EPUB has another caption', three, 's/The new body/A new body/'},
  {"the PDF lacks a table's word", 'html/01-method.html',
    's/>caught</>caughtt</'},
} do
  local name, file, script = table.unpack(case)
  test.spoilt(name, sample .. '/' .. file, script, same, sample, 'sample')
end

-- So is a fault in what the PDF is printed from.
local print_folder = scratch .. '/print'
test.must([[mkdir -p "$2/html" && cp book/theme/print.css "$2" &&
cp "$3/html/book.css" "$2/html" &&
BOOK_OUT=$2 NODE_PATH=/usr/share/nodejs book/filter.sh "$1" book.lua]],
  test.sample, print_folder, sample)
local function style(text)
  return 's@</head>@<style>' .. text .. '</style>&@'
end
for _, case in ipairs {
  {'the PDF lacks a figure', '/<svg/,/<\\/svg>/d', same},
  {"the PDF lacks a heading's number",
    's/<span class="number">1.1<\\/span>//', same},
  {'a line of code reaches out of the page',
    style 'pre.code{white-space:pre;font-size:40pt}', pdf},
  {'a line of code is broken', style 'pre.code{font-size:20pt}', pdf},
  {'code beside code has another number', 's/>511</>510</', same},
  {'code beside code is broken',
    style '.narrow pre.code{font-size:12pt!important}', pdf},
  {'a link leads nowhere', 's/ id="lst-kernel"//', pdf},
} do
  local name, script, checker = table.unpack(case)
  test.spoilt(name, print_folder .. '/print.html', script, function()
    test.must([[echo go | node book/print.js chromium "$1" &&
      mv "$1/book.pdf" "$2/html/sample.pdf"]], print_folder, sample)
    return test.sh(checker, sample, 'sample')
  end)
end
test.finish()
