#!tests/lua.sh
-- What the pages say of themselves to search engines and to those who link to
-- them, where the pages have an address. (pages.test.lua looks where they have
-- none.)
local test = dofile 'tests/book/book.lua'
test.environment.BOOK_FORMATS = 'html'
local heads = 'node tests/book/check/heads.js "$@"'
local SITE = 'https://example.org/book'
local method = test.html .. '/01-method.html'

test.environment.BOOK_SITE = SITE .. '/'
test.builds('it builds for an address', test.sample)
test.holds('its heads and the sitemap name it', heads, test.html, SITE)
test.holds('and nothing is loaded from there',
  'node tests/book/check/pages.js "$1"', test.html)
for _, case in ipairs {
  {'a page is not in the sitemap', 'sitemap.xml', '/01-method/d'},
  {'a page is there twice', 'sitemap.xml', '/01-method/p'},
  {'a page says that it is another', '01-method.html',
    '/canonical/s/01-method/02-first/'},
  {'a page has no description', '01-method.html', '/name="description"/d'},
  {'a page has the description of another', '01-method.html',
    '/description"/s/content="[^"]*"/content="Every line of Makefile, with ' ..
    'links to the listings that explain it."/'},
  {'a page has no title', '01-method.html', '/<title>/d'},
} do
  local name, file, script = table.unpack(case)
  test.spoilt(name, test.html .. '/' .. file, script, heads, test.html, SITE)
end

for _, site in ipairs {'example.org', 'https://', 'ftp://example.org',
  'https://example.org/"x'} do
  test.environment.BOOK_SITE = site
  test.ends(site .. ' is no address', 2, "SITE is '" .. site .. "': give",
    'book/build.sh "$1" "$2"', test.sample, test.html)
end
test.ok(test.read(method):find(SITE, 1, true),
  'and the last good book is untouched')
test.finish()
