#!/bin/sh
# Builds the book aside, and puts it in place only when all of it is well.
#   build.sh [ROOT [OUT]]    the tree with chapters/ (.), the pages' folder
# The PDF and the EPUB stand beside the pages. BOOK_FORMATS=html builds the
# pages alone. BOOK_SITE: the address that the pages will have, for those who
# publish them. BOOK_STUDENT=1 leaves the answers out. BOOK_DRAFT=1: figures of
# another kernel are marked, and no errors. BOOK_KEPT: the folder of what builds
# keep for the next, where it is not the one beside the pages.
# Exit 1: the book has errors. Exit 2: usage. Exit 3: a program is missing.
set -eu
umask 022
book=$(CDPATH='' cd "$(dirname "$0")" && pwd)
root=${1:-.}
needs='The book needs'
# shellcheck source=book/building.sh
. "$book/building.sh"

case ${BOOK_SITE:-} in
'' | http://?* | https://?*) ;;
*) no_site=yes ;;
esac
case ${BOOK_SITE:-} in *[!A-Za-z0-9:/._~%-]*) no_site=yes ;; esac
[ -z "${no_site:-}" ] || {
  echo "SITE is '$BOOK_SITE': give the address that the pages will have, as" \
    "in SITE=https://example.org/book." >&2
  exit 2
}

switch STUDENT "${BOOK_STUDENT:-}" "leaves the answers to exercises out"
switch DRAFT "${BOOK_DRAFT:-}" "marks stale figures, and builds the book"
"$book/../tools/setup/pandoc.sh" || exit
need node
if [ "${BOOK_FORMATS:-all}" != html ]; then
  for program in chromium qpdf; do
    command -v $program >/dev/null || {
      echo "The book's PDF and EPUB need $program: 'make setup' installs it;" \
        "'make book-html' builds the pages alone." >&2
      exit 3
    }
  done
fi

need git unifdef
find_katex
if [ ! -f "$root/chapters/book.yaml" ]; then
  echo "$root/chapters/book.yaml is missing." >&2
  exit 1
fi

begin_aside "${2:-build/book/html}"
printer=
leave() {
  exec 3>&-
  [ -z "$printer" ] || wait "$printer" || :
  rm -rf "$new"
}
trap leave EXIT
trap '[ -z "$printer" ] || kill "$printer" 2>/dev/null; exit 130' INT TERM HUP
mkdir "$new/html"

cache=${BOOK_KEPT:-$(dirname "$out")/cache}
answers=$("$book/answers.sh" "$cache")

cp "$book/theme/book.js" "$book/theme/search.js" "$new/html"
cp -R "$book/widgets" "$new/html"
(cd "$book/theme" && cat colours.css frame.css search.css text.css code.css \
  source.css widgets.css media.css) >"$new/html/book.css"
mkdir -p "$new/html/katex/fonts"
cp "$katex"/dist/fonts/*.woff2 "$new/html/katex/fonts"
katex_style >"$new/html/katex/katex.min.css"
cp "$book/theme/print.css" "$new"

# Chromium starts while pandoc reads, and prints while it writes the pages.
if [ "${BOOK_FORMATS:-all}" != html ]; then
  mkfifo "$new/page-is-there"
  node "$book/print.js" chromium "$new" "$cache/pages.json" \
    <"$new/page-is-there" &
  printer=$!
  exec 3<>"$new/page-is-there"  # to read, too: no writer waits for a reader
fi

(export BOOK_OUT="$new" BOOK_CACHE="$answers"
  "$book/filter.sh" "$root" book.lua) || {
  [ $? -ne 64 ] || echo "$root/chapters/book.yaml is not valid YAML." >&2
  exit 1
}

if [ "${BOOK_FORMATS:-all}" != html ]; then
  name=$(cat "$new/name")
  exec 3>&-
  wait "$printer" || exit 1
  mv "$new/book.pdf" "$new/html/$name.pdf"
  mv "$new/picture.png" "$new/html/ladder.png"
fi

mkdir -p "$cache"
rm -f "$cache"/answers-*
mv "$new/cache" "$answers"
[ ! -e "$new/pages.json" ] || mv "$new/pages.json" "$cache"
put_in_place "$new/html"
echo "The book is in ${2:-build/book/html}/index.html${name:+, $name.pdf and \
$name.epub}."
