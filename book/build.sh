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
pandoc --version | awk 'NR == 1 { split($2, v, "."); exit !(v[1] > 2 ||
  v[1] == 2 && v[2] >= 17) }' ||
  { echo "The book needs pandoc 2.17 or newer; this is" \
    "$(pandoc --version | awk 'NR == 1 { print $2 }')." >&2; exit 3; }
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
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$new/html" "$new/epub/EPUB" "$new/epub/META-INF"

(cd "$root" && LC_ALL=C.UTF-8 BOOK_OUT=$new pandoc --from markdown-smart \
  --metadata-file chapters/book.yaml --lua-filter "$book/book.lua" \
  --syntax-definition "$book/syntax/cuda.xml" \
  --syntax-definition "$book/syntax/ptx.xml" \
  --to native --output /dev/null /dev/null) || {
  [ $? -ne 64 ] || echo "$root/chapters/book.yaml is not valid YAML." >&2
  exit 1
}

cp "$book/theme/book.js" "$new/html"
(cd "$book/theme" && cat colours.css frame.css text.css code.css media.css) \
  >"$new/html/book.css"
mkdir -p "$new/html/katex/fonts"
cp "$katex"/dist/fonts/*.woff2 "$new/html/katex/fonts"
# Only the woff2 fonts come along, so the style sheet names no others.
sed 's/,url([^)]*\.\(woff\|ttf\)) format([^)]*)//g' \
  "$katex/dist/katex.min.css" >"$new/html/katex/katex.min.css"

# The same files always make the same archive: its times are one constant.
zip_epub() (
  cd "$new/epub"
  find . -exec touch -h -d '2000-01-01 00:00:00Z' {} +
  export TZ=UTC
  zip -q -X -0 "$1" mimetype
  find EPUB META-INF -type f | LC_ALL=C sort | zip -q -X -9 "$1" -@
)

if [ "${BOOK_FORMATS:-all}" != html ]; then
  name=$(cat "$new/name")
  cp "$book/theme/print.css" "$new"
  node "$book/print.js" chromium "$new/print.html" "$new/$name.pdf"
  zip_epub "$new/$name.epub"
  mv "$new/$name.pdf" "$new/$name.epub" "$new/html"
fi

rm -rf "$out.old"
[ ! -e "$out" ] || mv "$out" "$out.old"
mv "$new/html" "$out"
rm -rf "$out.old"
echo "The book is in ${2:-build/book/html}/index.html${name:+, $name.pdf and \
$name.epub}."
