#!/bin/sh
# A stage's kernel as it is compiled by default: toggles resolved, without
# includes, comments, region markers and empty lines.
#   default-arm.sh STAGE
set -eu
grep -v -e '^#include' -e '^ *//[<>] ' "$1/kernel.cu" |
  "${CXX:-g++}" -E -P -fdirectives-only -undef -nostdinc -ffreestanding -x c++ - |
  sed 's|//.*||; s/[[:space:]]*$//' | grep -v -e '^#' -e '^$'
