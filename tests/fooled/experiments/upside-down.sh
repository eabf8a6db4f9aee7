#!/bin/sh
# A ratio upside down, and a gain that is applied twice.
set -u
. tests/fooled/lib.sh
tools/setup/pandoc.sh 2>/dev/null || cannot "There is no pandoc"
command -v node >/dev/null || cannot "There is no node"
scalar=$recorded/stage0_scalar.json
last=$recorded/stage5_warp_spec.json
accepts 'mission +graph .*  [0-9.]+ % +[1-9][0-9.]*x' \
  "build/tools/compare --gate=15 $scalar $last" \
  '^base|^candidate|^shape|^gate'
refuses 'mission +graph .* -[0-9.]+ % +0\.[0-9]+x' \
  "build/tools/compare --gate=15 $last $scalar" \
  '^base|^candidate|^shape|^gate|^regression'
echo
in_a_copy
cat >>tests/book/sample/chapters/01-method.md <<'END'

Stage 1 takes 761 µs, stage 2 takes 359 µs, and we are 15x faster than PyTorch.
END
echo "a sentence at the end of a chapter:"
tail -n 1 tests/book/sample/chapters/01-method.md | sed 's/^/  /'
refuses '761 µs" is typed by hand' \
  'BOOK_FORMATS=html book/build.sh tests/book/sample build/sample-book' 'typed by hand'
verdict
