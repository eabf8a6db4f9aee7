#!/bin/sh
# Builds the book's pages aside, and puts them in place only when all is well.
#   build.sh [ROOT [OUT]]    the tree with chapters/ (.), the pages' folder
# Exit 1: the book has errors. Exit 3: a program is missing.
set -eu
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
chmod 755 "$new"

(cd "$root" && LC_ALL=C.UTF-8 BOOK_OUT=$new pandoc --from markdown-smart \
  --metadata-file chapters/book.yaml --lua-filter "$book/html.lua" \
  --syntax-definition "$book/syntax/cuda.xml" \
  --syntax-definition "$book/syntax/ptx.xml" \
  --to native --output /dev/null /dev/null) || {
  [ $? -ne 64 ] || echo "$root/chapters/book.yaml is not valid YAML." >&2
  exit 1
}

cp "$book/theme/book.js" "$new"
(cd "$book/theme" && cat colours.css frame.css text.css code.css media.css) \
  >"$new/book.css"
mkdir -p "$new/katex/fonts"
cp "$katex"/dist/fonts/*.woff2 "$new/katex/fonts"
# Only the woff2 fonts come along, so the style sheet names no others.
sed 's/,url([^)]*\.\(woff\|ttf\)) format([^)]*)//g' \
  "$katex/dist/katex.min.css" >"$new/katex/katex.min.css"

rm -rf "$out.old"
[ ! -e "$out" ] || mv "$out" "$out.old"
mv "$new" "$out"
rm -rf "$out.old"
echo "The book is in ${2:-build/book/html}/index.html."
