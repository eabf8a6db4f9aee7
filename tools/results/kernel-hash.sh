#!/bin/sh
# SHA-256 of a stage's kernel as the compiler sees it: kernel.cu, with each
# header of the tree in place of the line that first includes it, without
# comments, white space and include guards. Editing a comment or moving a header
# keeps a recorded result valid; editing code does not. Of a folder with several
# kernels, as floor: of all of them.
set -eu
stage=${1:?usage: kernel-hash.sh STAGE}
[ ! -d "further/$stage" ] || stage=further/$stage
if ! ls "$stage"/*.cu >/dev/null 2>&1; then
  echo "There is no kernel in '$stage'." >&2
  exit 2
fi
text=$(mktemp)
trap 'rm -f "$text"' EXIT
trap 'exit 130' INT TERM HUP
awk 'function put(file,   line, last) {
    if (seen[file]++) return
    for (; (known = (getline line <file)) > 0; last = line) {
      print last
      if (line ~ /^#include "/) put(substr(line, 11, length(line) - 11))
    }
    if (known < 0) { print file " cannot be read." >"/dev/stderr"; exit 1 }
    if (last !~ /^#endif/) print last
  }
  BEGIN { for (i = 1; i < ARGC; i++) put(ARGV[i]) }' "$stage"/*.cu >"$text"
dropped='^#(include ".*"|(ifndef|define) [A-Z0-9_]+_(H|CUH))$'
stripped=$(grep -vE "$dropped" "$text" |
  "${CXX:-g++}" -x c++ -fpreprocessed -dD -E -P -w -)
printf '%s' "$stripped" | tr -d ' \t\n' | sha256sum | cut -d ' ' -f 1
