#!/bin/sh
# Runs a filter on what chapters/book.yaml says:  filter.sh ROOT FILTER.lua
# The filter reads the chapters itself, and writes its own files.
# Exit: the filter's; 3 where pandoc is not here.
set -eu
book=$(CDPATH='' cd "$(dirname "$0")" && pwd)
cd "$1"
export LC_ALL=C.UTF-8
# More room between two garbage collections takes less time.
exec "$book/../tools/setup/pandoc.sh" +RTS -A64m -RTS \
  --from markdown-smart --metadata-file chapters/book.yaml \
  --lua-filter "$book/$2" \
  --syntax-definition "$book/syntax/cuda.xml" \
  --syntax-definition "$book/syntax/ptx.xml" \
  --to native --output /dev/null /dev/null
