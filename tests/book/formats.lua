-- What is looked at in the PDF and the EPUB of a book.
local test = dofile 'tests/book/book.lua'
test.needs 'chromium qpdf unzip pdftotext'
local holds = test.holds
local jar = '/usr/share/java/epubcheck.jar'
local has_epubcheck = test.read(jar) and
  select(2, test.sh 'command -v java') == 0
local formats = {test = test}
formats.same = [[exec node tests/book/check/same.js "$1/html" "$1/epub" \
  "$1/html/$2.pdf"]]
formats.pdf = 'exec node tests/book/check/pdf.js "$1/html/$2.pdf" "$1/html"'

-- The formats of a book that was built in a folder.
function formats.check(folder, name)
  local epub = folder .. '/html/' .. name .. '.epub'
  holds(name .. ': the EPUB unpacks', 'unzip -q -d "$1/epub" "$2"', folder,
    epub)
  holds(name .. ': its type comes first, not compressed', [[
unzip -Z1 "$1" | sed 1q | grep -qx mimetype &&
  unzip -v "$1" | grep -q 'Stored.* mimetype$']], epub)
  if has_epubcheck then
    holds(name .. ': epubcheck has no error and no warning',
      'java -jar "$1" --failonwarnings "$2"', jar, epub)
  else
    test.skip(name .. ': epubcheck', 'epubcheck is not installed')
  end
  holds(name .. ': the PDF is sound', 'qpdf --check "$1/html/$2.pdf"', folder,
    name)
  holds(name .. ': outline, contents, links, margins, whole lines', formats.pdf,
    folder, name)
  holds(name .. ': pages, EPUB and PDF carry the same', formats.same, folder,
    name)
end

return formats
