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

skip_all_without() {
  for program in "$@"; do
    command -v "$program" >/dev/null && continue
    echo "1..1"
    echo "ok 1 - the book # SKIP $program is not installed"
    exit 0
  done
}

here=$(cd "$(dirname "$0")" && pwd)
book=$(cd "$here/../../book" && pwd)
skip_all_without pandoc node
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
