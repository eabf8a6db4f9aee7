#!/bin/sh
# The sample book builds, and its pages hold what its chapters say.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
export BOOK_FORMATS=html

build() { "$book/build.sh" "$1" "$2"; }

holds "the sample book builds" build "$here/sample" "$scratch/html"
holds "links, anchors, ids; nothing is loaded from outside" \
  node "$here/check/pages.js" "$scratch/html"

three=03-second.html one=01-method.html
shows_all pages.list
marks=$(cat "$scratch/html"/*.html | grep -cE '(//|#|&[lg]t;)[<>] ?(body|goal)')
ok "$marks" "no marker is on any page"
once=$(grep -c 'class="glossary"' "$scratch/html/$three")
ok $((once != 1)) "a term is linked once, not in code, a heading or a compound"
! grep -q 'class="glossary"' "$scratch/html/$one"
ok $? "  and not in the chapter that explains it"
! grep -q '>15  ' "$scratch/html/$three"
ok $? "a line without conflicts is not in the drawing of them"

copy_book "$scratch/other"
mkdir "$scratch/other/place"
cp -R "$here/sample" "$scratch/other/place/tree"
holds "it builds elsewhere" "$scratch/other/book/build.sh" \
  "$scratch/other/place/tree" "$scratch/other/html"
holds "byte for byte the same" diff -r "$scratch/html" "$scratch/other/html"

tree=$scratch/other/place/tree
shown=$tree/chapters/output/count.txt
printf '$ echo new; echo built in 3.2 s; false\nold\n' >"$shown"
holds "shown output is refreshed" "$book/refresh-output.sh" "$tree"
printf '$ echo new; echo built in 3.2 s; false\nnew\nbuilt in N s\n[exit 1]\n' \
  >"$scratch/expected"
holds "with its exit code, and masked" cmp "$shown" "$scratch/expected"
printf '$ exit 3\nold\n' >"$shown"
holds "what this machine cannot do is left alone" \
  "$book/refresh-output.sh" "$tree"
holds "and keeps its old output" grep -qx old "$shown"

mkdir "$scratch/few"
for program in sh dirname; do
  ln -s "$(command -v $program)" "$scratch/few/$program"
done
copy_book "$scratch/bare"
rm "$scratch/bare/.deps"
for build in "$scratch/bare/book/build.sh" "$book/build.sh"; do
  PATH=$scratch/few "$build" "$here/sample" "$scratch/none" 2>"$scratch/said"
  [ $? -eq 3 ] && [ "$(wc -l <"$scratch/said")" -eq 1 ]
  ok $? "exit 3, one sentence: $(cat "$scratch/said")"
done

finish
