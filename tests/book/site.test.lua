#!tests/lua.sh
-- The pages of whole sources and the search, of the sample book and of the book
-- itself; a fault in either is seen.
-- takes: 30 s
local test = dofile 'tests/book/book.lua'
test.environment.BOOK_FORMATS = 'html'
local sample, html = test.sample, test.html
local pages = {'node tests/book/check/pages.js "$@"', html}
local function sources(root)
  return {'node tests/book/check/sources.js "$@"', root, html}
end
local function search(...)
  return {'node tests/book/check/search.js "$@"', html, ...}
end
local function holds(name, check) test.holds(name, table.unpack(check)) end

test.builds('the sample book builds', sample)
holds('each line of its kernels is on a page, and leads to its listing',
  sources(sample))
holds('what it says is found', search('stage_launch', 'twice', 'make'))
test.shows_all 'sources.list'

-- ---- the testers ----
local zero, two = 'source-stage0.html', '02-first.html'
for _, case in ipairs {
  {'a line of a kernel is missing', zero, '/id="L7"/d', sources(sample)},
  {'a line is there twice', zero, '/id="L7"/p', sources(sample)},
  {'a line has another number', zero, 's/data-n="7"/data-n="8"/',
    sources(sample)},
  {'a line has another text', zero, 's/twice/thrice/', sources(sample)},
  {'a line leads to another listing', zero,
    '/id="L7"/s/#lst-helper/#lst-kernel/', sources(sample)},
  {'a line leads nowhere', zero, '/id="L7"/s/ href="[^"]*"//',
    sources(sample)},
  {'a listing leads to another line', two,
    's/stage0.html#L13"/stage0.html#L24"/', sources(sample)},
  {'a listing leads to a line that is not there', two,
    's/stage0.html#L13"/stage0.html#L99"/', pages},
  {'a term is not in the index', 'search-index.js',
    's/\\["term-online-softmax","online softmax"\\]//', search()},
  {'a heading is not in the index', 'search-index.js',
    's/"1.1 Which gate catches what"/""/', search()},
  {'an identifier is not in the index', 'search-index.js',
    's/stage_launch//g', search 'stage_launch'},
  {'the index leads to what is not there', two,
    's/id="lst-kernel"/id="lst-colonel"/', search()},
} do
  local name, file, script, check = table.unpack(case)
  test.spoilt(name, html .. '/' .. file, script, table.unpack(check))
end

-- ---- the book ----
test.environment.BOOK_KEPT = test.kept
test.builds('the book builds', '.')
holds('links, anchors, ids; nothing is loaded from outside', pages)
holds('each line of its kernels is on a page, and leads to its listing',
  sources '.')
holds('what it says is found', search('__pipeline_wait_prior',
  'USE_XOR_SWIZZLE', 'bank conflicts', 'roofline', 'make setup'))
test.finish()
