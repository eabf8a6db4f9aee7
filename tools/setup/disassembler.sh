#!/bin/sh
# Prints where nvdisasm is: on PATH, in the CUDA toolkit, or in what
# `make setup` fetched. Nothing, and exit code 3, where there is none.
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
command -v nvdisasm && exit
for folder in "$("$tools/setup/cuda-home.sh" 2>/dev/null)/bin" \
    "${tools%/*}/.deps/disassembler/bin"; do
  [ -x "$folder/nvdisasm" ] && echo "$folder/nvdisasm" && exit
done
exit 3
