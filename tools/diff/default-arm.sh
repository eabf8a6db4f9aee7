#!/bin/sh
# A stage's kernel as it is compiled by default: toggles resolved, without region
# markers; comments and includes stay.
#   default-arm.sh STAGE
set -eu
resolved=$(
  sed -e '/^ *\/\/[<>] /d' -e 's/^#include/@include/' "$1/kernel.cu" |
    "${CXX:-g++}" -E -fdirectives-only -undef -nostdinc -ffreestanding \
      -x c++ -
)
printf '%s\n' "$resolved" | sed -n -e '/^# /d' -e '/^#define _/d' \
  -e '/^#undef /d' -e '/^\/\/ toggle /d' -e 's/^@include/#include/' -e p |
  cat -s
