#!/bin/sh
# plant.sh KERNEL OCCURRENCE TEXT REPLACEMENT: prints the kernel with that line
# replaced, or without it if the replacement is empty. Exit 1 if it has no such
# occurrence.
set -eu
PLANTED=$4 TEXT=$3 awk -v wanted="$2" '
  index($0, ENVIRON["TEXT"]) && ++seen == wanted {
    if (ENVIRON["PLANTED"] != "") print ENVIRON["PLANTED"]
    next }
  { print }
  END { exit seen < wanted }' "$1"
