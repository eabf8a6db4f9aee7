#!/bin/sh
# The PDF and the EPUB of the sample book and of the book itself: each is in
# order, and they carry what the pages carry.
# takes: 60 s
# shellcheck disable=SC1091,SC2154
set -u
. "$(dirname "$0")/tap.sh"
skip_all_without chromium qpdf unzip pdftotext
root=$(cd "$here/../.." && pwd)
jar=/usr/share/java/epubcheck.jar

same() { node "$here/check/same.js" "$1/html" "$1/epub" "$1/html/$2.pdf"; }
pdf() { node "$here/check/pdf.js" "$1/html/$2.pdf" "$1/html"; }

# epub_holds NAME FILE PATTERN: all of the EPUB's files that match have it
epub_holds() {
  grep -Eq -- "$3" "$scratch/sample/epub/$2"
  ok $? "$1"
}

# check FOLDER NAME: the formats of a book that was built
check() {
  unzip -q -d "$1/epub" "$1/html/$2.epub"
  ok $? "$2: the EPUB unpacks"
  unzip -Z1 "$1/html/$2.epub" | sed 1q | grep -qx mimetype &&
    unzip -v "$1/html/$2.epub" | grep -q 'Stored.* mimetype$'
  ok $? "$2: its type comes first, not compressed"
  if [ -f $jar ] && command -v java >/dev/null; then
    holds "$2: epubcheck has no error and no warning" \
      java -jar $jar --failonwarnings "$1/html/$2.epub"
  else
    skip "$2: epubcheck" "epubcheck is not installed"
  fi
  holds "$2: the PDF is sound" qpdf --check "$1/html/$2.pdf"
  holds "$2: outline, contents, links, margins, whole lines" pdf "$1" "$2"
  holds "$2: pages, EPUB and PDF carry the same" same "$1" "$2"
}

mkdir "$scratch/sample" "$scratch/book"
holds "the sample book builds in three formats" \
  "$book/build.sh" "$here/sample" "$scratch/sample/html"
check "$scratch/sample" sample
epub_holds "a formula is MathML with its text" EPUB/01-method.xhtml \
  '<math alttext="[^"]+" xmlns="http://www.w3.org/1998/Math/MathML"'
epub_holds "a drawing has a text and white paper" EPUB/03-second.xhtml \
  '<svg role="img" aria-label="[^"]+".*><rect [^>]*fill="#fff"/>'
epub_holds "the contents have chapters and sections" EPUB/nav.xhtml \
  '<a href="01-method.xhtml#[^"]+">1.1 '
epub_holds "the identifier is the book's" EPUB/book.opf \
  '<dc:identifier id="id">urn:uuid:35015078-68eb-448e-9024-1b98d1f2b70e<'
epub_holds "an address leads to the EPUB's own page" EPUB/03-second.xhtml \
  'href="02-first.xhtml#lst-kernel"'
epub_holds "the cover is known as such" EPUB/book.opf \
  'href="cover.svg" media-type="image/svg.xml" properties="cover-image"/>'
epub_holds "  and has a bar as long as its figure" EPUB/cover.svg \
  '<rect x="70" y="904" width="466.4" '
epub_holds "  and a text that says the figures" EPUB/cover.xhtml \
  'alt="A sample book. Bars of measured figures: Stage 0: .*; Stage 1: 38.6'
holds "the EPUB's colours can be read on white and on black" \
  node "$here/check/colours.js" "$scratch/sample/epub/EPUB/book.css"
grep -q 'href="sample.pdf".*href="sample.epub"' \
  "$scratch/sample/html/index.html"
ok $? "the first page links both"

# ---- the testers ----
# spoilt NAME FILE SED-SCRIPT CHECK: a fault in the copy must be seen
spoilt() {
  rm -rf "$scratch/spoilt"
  cp -R "$scratch/sample" "$scratch/spoilt"
  sed -i "$3" "$scratch/spoilt/$2"
  ! cmp -s "$scratch/sample/$2" "$scratch/spoilt/$2" &&
    ! "$4" "$scratch/spoilt" sample >"$scratch/said"
  ok $? "seen: $1"
}
three=epub/EPUB/03-second.xhtml
spoilt "the EPUB lacks a figure" $three '/<svg/,/<\/svg>/d' same
spoilt "the EPUB lacks a line of a listing" $three \
  '0,/<span class="line added">/s/<span class="line added">.*//' same
spoilt "the EPUB has another number" $three 's/>1\.59</>1.60</' same
spoilt "the EPUB has another caption" $three 's/The new body/A new body/' same
spoilt "the PDF lacks a table's word" html/01-method.html \
  's/>caught</>caughtt</' same

# reprint NAME SED-SCRIPT CHECK: so does a PDF of a spoilt print.html
reprint() {
  rm -rf "$scratch/spoilt"
  cp -R "$scratch/sample" "$scratch/spoilt"
  sed "$2" "$scratch/print/print.html" >"$scratch/print/spoilt.html"
  echo go | node "$book/print.js" chromium "$scratch/print/spoilt.html" \
    "$scratch/spoilt/html/sample.pdf" "$scratch/numbers.json" &&
    ! "$3" "$scratch/spoilt" sample >"$scratch/said"
  ok $? "seen: $1"
}
mkdir -p "$scratch/print/html"
BOOK_OUT="$scratch/print" NODE_PATH=/usr/share/nodejs \
  "$book/filter.sh" "$here/sample" book.lua
cp "$book/theme/print.css" "$scratch/print"
cp "$scratch/sample/html/book.css" "$scratch/print/html"
style=s@
reprint "the PDF lacks a figure" '/<svg/,/<\/svg>/d' same
reprint "the PDF lacks a heading's number" \
  's/<span class="number">1.1<\/span>//' same
reprint "a line of code reaches out of the page" \
  "$style</head>@<style>pre.code{white-space:pre;font-size:40pt}</style>&@" pdf
reprint "a line of code is broken" \
  "$style</head>@<style>pre.code{font-size:20pt}</style>&@" pdf
reprint "code beside code has another number" 's/>511</>510</' same
reprint "code beside code is broken" \
  "$style</head>@<style>.narrow pre.code{font-size:12pt!important}</style>&@" pdf
reprint "a link leads nowhere" 's/ id="lst-kernel"//' pdf

holds "the book builds in three formats" \
  "$book/build.sh" "$root" "$scratch/book/html"
check "$scratch/book" "$(sed -n 's/^name: //p' "$root/chapters/book.yaml")"

finish
