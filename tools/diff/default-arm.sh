#!/bin/sh
# A stage's kernel as it is compiled by default: the arms of its toggles that
# are left out then, and the marks of regions, are gone. The region "toggles"
# stays as it is. The book's listings show the same (book/lib/code/sources.lua).
#   default-arm.sh STAGE
#   default-arm.sh --marked STAGE [TOGGLE]...
# The second keeps the marks, and all arms of these toggles, as labs need them.
set -eu
command -v unifdef >/dev/null || {
  echo "The default arm of a kernel needs unifdef: 'make setup' installs it." \
    >&2
  exit 3
}
marks=d
[ "$1" != --marked ] || { marks='' && shift; }
stage=$1
folder=$stage
[ ! -d "further/$stage" ] || folder=further/$stage
shift
toggles=$("$(dirname "$0")/../toggles/toggles.py" list "$stage")
for toggle; do
  toggles=$(printf '%s\n' "$toggles" | sed "/^$toggle /d")
done
# shellcheck disable=SC2046 # one define a word
set -- $(printf '%s\n' "$toggles" |
  sed -n 's/^\([^ ]*\) \([^ ]*\) .*/-D\1=\2/p')
sed '/^ *\/\/> toggles$/,/^ *\/\/< toggles$/s/^#/@&/' "$folder/kernel.cu" |
  unifdef -x2 "$@" |
  sed -e 's/^@#/#/' -e "/^ *\/\/[<>] /${marks:-b}" | cat -s
