#!/bin/sh
# Runs the pandoc that pins.conf names, where setup put it:  pandoc.sh ARG...
# Every reader's book is made by the same one, so that it has the same bytes.
# Without arguments: nothing. Exit 3, with a sentence, where it is not here.
tools=$(cd "$(dirname "$0")/.." && pwd)
while read -r kind set package version _; do
  [ "$kind $set" != 'wheel pandoc' ] || break
done <"$tools/setup/pins.conf"
pandoc=${tools%/*}/.deps/$package-$version/pypandoc/files/pandoc
[ -x "$pandoc" ] || {
  echo "The book's own pandoc is not here: 'make setup' installs it." >&2
  exit 3
}
[ $# -eq 0 ] || exec "$pandoc" "$@"
