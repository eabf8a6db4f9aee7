#!/bin/sh
# Builds the slides of workshop/slides and their handout, each as one file that
# loads nothing, and puts them in place only when all is well.
#   build.sh [ROOT [OUT]]    the tree with chapters/ (.), the folder of both
# BOOK_STUDENT=1 leaves out what the teacher says. BOOK_KEPT: the folder of what
# builds of the book keep for the next.
# Exit 1: the slides have errors. Exit 2: usage. Exit 3: a program is missing.
set -eu
umask 022
book=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
root=${1:-.}
needs='The slides need'
# shellcheck source=book/building.sh
. "$book/building.sh"

switch STUDENT "${BOOK_STUDENT:-}" "leaves the teacher's notes out"
"$book/../tools/setup/pandoc.sh" || exit
need node git unifdef
find_katex
for path in chapters/book.yaml workshop/slides; do
  [ -e "$root/$path" ] || { echo "$root/$path is missing." >&2; exit 1; }
done

begin_aside "${2:-build/book/slides}"
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$new/pages"

# The style sheet of formulas, with its fonts in it.
for font in "$katex"/dist/fonts/*.woff2; do
  printf 's|url(fonts/%s)|url(data:font/woff2;base64,%s)|\n' \
    "$(basename "$font")" "$(base64 -w0 "$font")"
done >"$new/fonts.sed"
katex_style | sed 's/@font-face/\n&/g' | sed -f "$new/fonts.sed" \
  >"$new/katex.css"
(cd "$book/theme" && cat colours.css text.css code.css) >"$new/book.css"

cache=${BOOK_KEPT:-$(dirname "$out")/cache}
BOOK_OUT=$new BOOK_CACHE=$("$book/answers.sh" "$cache") \
  "$book/filter.sh" "$root" slides/slides.lua || {
  [ $? -ne 64 ] || echo "$root/chapters/book.yaml is not valid YAML." >&2
  exit 1
}

put_in_place "$new/pages"
echo "The slides are in ${2:-build/book/slides}/slides.html, their handout in" \
  "handout.html."
