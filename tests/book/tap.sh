# shellcheck shell=sh disable=SC2034
# A few words for the book's tests; sourced, not run.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# holds NAME COMMAND...: the command succeeds
holds() {
  name=$1
  shift
  "$@" >"$scratch/said" 2>&1
  status=$?
  [ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/said"
  ok "$status" "$name"
}

# shows NAME PAGE PATTERN: the page holds the pattern (grep -E)
shows() {
  grep -Eq -- "$3" "$scratch/html/$2"
  ok $? "$1"
}

# shows_all LIST: two lines each, PAGE NAME and the pattern
shows_all() {
  while read -r page name && IFS= read -r pattern; do
    shows "$name" "$page" "${pattern#  }"
  done <"$here/$1"
}

# copy_book FOLDER: the book's programs, with the pandoc that they use
copy_book() {
  mkdir -p "$1/tools"
  cp -R "$book" "$1/book"
  cp -R "$book/../tools/setup" "$1/tools"
  ln -s "$(cd "$book/.." && pwd)/.deps" "$1/.deps"
}

# plant LIST: the rest of the test is what mistakes/LIST.list says
plant() {
  BOOK_FORMATS=html "$book/../tools/setup/pandoc.sh" lua "$here/mistakes.lua" \
    "$here/mistakes/$1.list" "$book" "$here/sample" "$scratch" $tap_number &&
    [ $tap_failures -eq 0 ]
}

skip_all() {
  echo "1..1"
  echo "ok 1 - the book # SKIP $1 is not installed"
  exit 0
}

skip_all_without() {
  for program in "$@"; do
    command -v "$program" >/dev/null || skip_all "$program"
  done
}

here=$(cd "$(dirname "$0")" && pwd)
book=$(cd "$here/../../book" && pwd)
"$book/../tools/setup/pandoc.sh" 2>/dev/null || skip_all pandoc
skip_all_without node
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
