#!/bin/sh
# Builds the slides of workshop/slides and their handout, each as one file that
# loads nothing, and puts them in place only when all is well.
#   build.sh [ROOT [OUT]]    the tree with chapters/ (.), the folder of both
# BOOK_STUDENT=1 leaves out what the teacher says. BOOK_KEPT: the folder of what
# builds of the book keep for the next.
# Exit 1: the slides have errors. Exit 2: usage. Exit 3: a program is missing.
set -eu
umask 022
here=$(cd "$(dirname "$0")" && pwd)
book=$(dirname "$here")
root=${1:-.}
out=${2:-build/book/slides}

case ${BOOK_STUDENT:-} in
'' | 0 | 1) ;;
*)
  echo "STUDENT is '$BOOK_STUDENT': 1 leaves the teacher's notes out." >&2
  exit 2
  ;;
esac

"$book/../tools/setup/pandoc.sh" || exit
for program in node git unifdef; do
  command -v $program >/dev/null || {
    echo "The slides need $program: 'make setup' installs it." >&2
    exit 3
  }
done
export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"
katex=$("$book/katex-folder.sh") ||
  { echo "The slides need KaTeX: 'make setup' installs it." >&2; exit 3; }
for path in chapters/book.yaml workshop/slides; do
  [ -e "$root/$path" ] || { echo "$root/$path is missing." >&2; exit 1; }
done

mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
new=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$new/pages"

# The style sheet of formulas, with its fonts in it.
for font in "$katex"/dist/fonts/*.woff2; do
  printf 's|url(fonts/%s)|url(data:font/woff2;base64,%s)|\n' \
    "$(basename "$font")" "$(base64 -w0 "$font")"
done >"$new/fonts.sed"
sed 's/,url([^)]*\.\(woff\|ttf\)) format([^)]*)//g; s/@font-face/\n&/g' \
  "$katex/dist/katex.min.css" | sed -f "$new/fonts.sed" >"$new/katex.css"
(cd "$book/theme" && cat colours.css text.css code.css) >"$new/book.css"

cache=${BOOK_KEPT:-$(dirname "$out")/cache}
BOOK_OUT=$new BOOK_CACHE=$("$book/answers.sh" "$cache") \
  "$book/filter.sh" "$root" slides/slides.lua || {
  [ $? -ne 64 ] || echo "$root/chapters/book.yaml is not valid YAML." >&2
  exit 1
}

rm -rf "$out.old"
[ ! -e "$out" ] || mv "$out" "$out.old"
mv "$new/pages" "$out"
rm -rf "$out.old"
echo "The slides are in ${2:-build/book/slides}/slides.html, their handout in" \
  "handout.html."
