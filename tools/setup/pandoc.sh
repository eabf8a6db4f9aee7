#!/bin/sh
# Runs the pandoc that pins.conf names, where setup put it:  pandoc.sh ARG...
# Every reader's book is made by the same one, so that it has the same bytes.
# Without arguments: nothing. Exit 3, with a sentence, where it is not here.
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
while read -r kind set package version _; do
  [ "$kind $set" != 'wheel pandoc' ] || break
done <"$tools/setup/pins.conf"
pandoc=${tools%/*}/.deps/$package-$version/pypandoc/files/pandoc
[ -x "$pandoc" ] || {
  echo "The book's own pandoc is not here: 'make setup' installs it." >&2
  exit 3
}
[ $# -gt 0 ] || exit 0
# While its Lua runs, pandoc does not hear Ctrl-C; ended by another signal, it
# leaves the history that it keeps of what is typed.
stop() {
  kill "$child" 2>/dev/null
  wait "$child" 2>/dev/null
  rm -f "${TMPDIR:-/tmp}/pandoc-hist$child"-*
  exit 130
}
# Behind & it would read from /dev/null.
exec 3<&0
"$pandoc" "$@" <&3 3<&- &
child=$!
trap stop INT TERM HUP
wait "$child"
