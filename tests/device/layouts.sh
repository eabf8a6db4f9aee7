#!/bin/sh
# Prints all layouts as JSON, for the book: layouts.sh >FILE
set -eu
separator='{
 "layouts": {'
for layout in nothing padding swizzle; do
  printf '%s\n  "%s": ' "$separator" "$layout"
  build/tests/layout/"$layout"
  separator=,
done
printf '\n }\n}\n'
