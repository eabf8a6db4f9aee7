#!/bin/sh
# Builds the book aside, and puts it in place only when all of it is well.
#   build.sh [ROOT [OUT]]    the tree with chapters/ (.), the pages' folder
# The PDF and the EPUB stand beside the pages. BOOK_FORMATS=html builds the
# pages alone.
# Exit 1: the book has errors. Exit 3: a program is missing.
set -eu
umask 022
book=$(cd "$(dirname "$0")" && pwd)
root=${1:-.}
out=${2:-build/book/html}

need() {
  command -v "$1" >/dev/null ||
    { echo "The book needs $1: 'make setup' installs it." >&2; exit 3; }
}
need pandoc
# More room between two garbage collections, where this pandoc lets us say so.
room='+RTS -A64m -RTS'
# shellcheck disable=SC2086
said=$(pandoc $room --version 2>/dev/null) ||
  { room='' said=$(pandoc --version); }
version=$(echo "$said" | awk 'NR == 1 { print $2 }')
echo "$version" | awk -F . '{ exit !($1 > 2 || $1 == 2 && $2 >= 17) }' || {
  echo "The book needs pandoc 2.17 or newer; this is $version." >&2
  exit 3
}
need node
if [ "${BOOK_FORMATS:-all}" != html ]; then
  for program in chromium qpdf zip; do
    command -v $program >/dev/null || {
      echo "The book's PDF and EPUB need $program: 'make setup' installs it;" \
        "'make book-html' builds the pages alone." >&2
      exit 3
    }
  done
fi

export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"
katex=$(node -p 'path.dirname(require.resolve("katex/package.json"))' \
  2>/dev/null) ||
  { echo "The book needs KaTeX: 'make setup' installs it." >&2; exit 3; }
if [ ! -f "$root/chapters/book.yaml" ]; then
  echo "$root/chapters/book.yaml is missing." >&2
  exit 1
fi

mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
new=$(mktemp -d "$out.XXXXXX")
printer=
leave() {
  exec 3>&-
  [ -z "$printer" ] || wait "$printer" || :
  rm -rf "$new"
}
trap leave EXIT
trap 'exit 130' INT TERM
mkdir -p "$new/html" "$new/epub/EPUB" "$new/epub/META-INF"

# What an earlier build found out, where the programs have not changed since.
cache=$(dirname "$out")/cache
stamp=$(cd "$book" && cat lib/code/highlight.lua \
  lib/read/inlines.lua lib/common/cache.lua lib/code/difference.lua \
  syntax/*.xml katex.js "$katex/package.json" \
  widget-picture.js widgets/*.js | cksum | tr -d ' ')
answers=$cache/answers-$version-$stamp

cp "$book/theme/book.js" "$book/theme/search.js" "$new/html"
cp -R "$book/widgets" "$new/html"
(cd "$book/theme" && cat colours.css frame.css search.css text.css code.css \
  source.css widgets.css media.css) >"$new/html/book.css"
mkdir -p "$new/html/katex/fonts"
cp "$katex"/dist/fonts/*.woff2 "$new/html/katex/fonts"
# Only the woff2 fonts come along, so the style sheet names no others.
sed 's/,url([^)]*\.\(woff\|ttf\)) format([^)]*)//g' \
  "$katex/dist/katex.min.css" >"$new/html/katex/katex.min.css"
cp "$book/theme/print.css" "$new"

# Chromium starts while pandoc reads, and prints while it writes the pages.
if [ "${BOOK_FORMATS:-all}" != html ]; then
  mkfifo "$new/page-is-there"
  node "$book/print.js" chromium "$new/print.html" "$new/book.pdf" \
    "$new/pages.json" "$cache/pages.json" <"$new/page-is-there" &
  printer=$!
  exec 3<>"$new/page-is-there"  # to read, too: no writer waits for a reader
fi

# shellcheck disable=SC2086
(cd "$root" && export LC_ALL=C.UTF-8 BOOK_OUT="$new" BOOK_CACHE="$answers" &&
  pandoc $room --from markdown-smart --metadata-file chapters/book.yaml \
    --lua-filter "$book/book.lua" \
    --syntax-definition "$book/syntax/cuda.xml" \
    --syntax-definition "$book/syntax/ptx.xml" \
    --to native --output /dev/null /dev/null) || {
  [ $? -ne 64 ] || echo "$root/chapters/book.yaml is not valid YAML." >&2
  exit 1
}

# The same files always make the same archive: its times are one constant.
zip_epub() (
  cd "$new/epub" && export TZ=UTC &&
    find . -exec touch -h -d '2000-01-01 00:00:00Z' {} + &&
    zip -q -X -0 "$1" mimetype &&
    find EPUB META-INF -type f | LC_ALL=C sort | zip -q -X -9 "$1" -@
)

if [ "${BOOK_FORMATS:-all}" != html ]; then
  name=$(cat "$new/name")
  exec 3>&-
  zip_epub "$new/html/$name.epub" || {
    echo "The EPUB cannot be packed." >&2
    exit 1
  }
  wait "$printer" || exit 1
  mv "$new/book.pdf" "$new/html/$name.pdf"
fi

mkdir -p "$cache"
rm -f "$cache"/answers-*
mv "$new/cache" "$answers"
[ ! -e "$new/pages.json" ] || mv "$new/pages.json" "$cache"
rm -rf "$out.old"
[ ! -e "$out" ] || mv "$out" "$out.old"
mv "$new/html" "$out"
rm -rf "$out.old"
echo "The book is in ${2:-build/book/html}/index.html${name:+, $name.pdf and \
$name.epub}."
