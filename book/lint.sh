#!/bin/sh
# Checks the book's language: spelling, long sentences, terms that are named
# before they are explained, and how long each chapter takes to read.
#   lint.sh [ROOT]    the tree with chapters/ (.)
# BOOK_KEPT: the folder of what builds of the book kept.
# Exit 1: there is something to mend. Exit 3: a program is missing.
set -eu
book=$(CDPATH='' cd "$(dirname "$0")" && pwd)
root=${1:-.}
"$book/../tools/setup/pandoc.sh" || exit
command -v aspell >/dev/null || {
  echo "The check of the book's language needs aspell: 'make setup'" \
    "installs it." >&2
  exit 3
}
aspell dump dicts | grep -qx en_GB-ise || {
  echo "aspell has no British dictionary: 'make setup' installs it." >&2
  exit 3
}
for program in git unifdef; do
  command -v $program >/dev/null || {
    echo "The book needs $program: 'make setup' installs it." >&2
    exit 3
  }
done
answers=$("$book/answers.sh" "${BOOK_KEPT:-build/book/cache}")
said=$(mktemp)
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT TERM HUP
code=0
(export BOOK_CACHE="$answers" BOOK_LINT="$said" \
  BOOK_WORDS="${BOOK_WORDS:-tests/book/words.txt}" \
  BOOK_EARLY="${BOOK_EARLY:-tests/book/early-terms.txt}" \
  BOOK_KNOWN="${BOOK_KNOWN:-tests/book/abbreviations.txt}"
  "$book/filter.sh" "$root" lint.lua) || code=1
cat "$said"
exit $code
