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

two=02-first.html three=03-second.html one=01-method.html
shows "a listing has its file's line numbers" $two 'data-n="7".*__device__'
shows "a nested marker is not shown, and the numbers go on" $two \
  'data-n="16".*twice'
marks=$(cat "$scratch/html"/*.html | grep -cE '(//|#|&[lg]t;)[<>] ?(body|goal)')
ok "$marks" "no marker is on any page"
shows "a listing says where it is from" $two 'kernel.cu, lines 13–18'
shows "a nested region is unindented" $two 'data-n="16"><span class="cf">if'
shows "code is coloured as CUDA" $two '<span class="at">__global__</span>'
shows "a difference has removed lines" $three 'line removed.*blockDim'
shows "a difference has added lines" $three 'line added" data-n="17"'
shows "short old lines stand beside the new ones" $three \
  '^<div class="beside narrow">$'
shows "long ones too, where there is room" $three '^<div class="beside">$'
shows "each column has its stage" $three 'class="side"><code>stage0_first</code>'
shows "the old column has the old file's numbers" $three \
  'line removed" data-n="14" data-sign="−">'
shows "the new one has no such line" $three 'line added" data-n="17" data-sign="\+">'
shows "what stays stands beside itself" $three \
  'data-n="18" data-sign=" " style="--skip: 5">}'
shows "a number comes from a result" $three \
  'p50_us">38.6</span> µs'
shows "a speed-up is old/new" $three '>1.59</span>'
shows "a timeline has a row for each warp" $three '>producer 1</text>'
shows "its hatching is drawn, not a pattern" $three \
  '<path d="M[0-9.]+ [0-9.]+l[0-9.]+ -[0-9.]+[^"]*" class="line"'
shows "its axis ends where it is told" $three '>1000</text>'
shows "time saved is 1 - new/old" $three '>37.0.%</span>'
shows "a table computes a difference in percent" $two '>−2.4.%<'
shows "a table sets thousands apart" $two '>2,130,432<'
shows "a table has a row for each impostor" $one '>all NaN<'
shows "a table says what a boolean means" $one '>caught<'
shows "a reference reads as the number" $three '>Listing.2.3</a>'
shows "a reference leads to another page" $three \
  'href="02-first.html#lst-kernel"'
shows "an equation has a number" $one '\(1\.1\)'
shows "a formula is set at build time" $one 'class="katex-html"'
shows "a formula can be heard" $one '<math '
shows "an answer is on its own page" answers.html 'id="answer-sum"'
shows "an exercise leads to its answer" $one 'answers.html#answer-sum'
shows "a term is in the glossary" lists.html 'href="01-method.html#term-online-softmax"'
shows "a later chapter leads to it" $three '<em><a href="lists.html#gloss-online-softmax" class="glossary"'
once=$(grep -c 'class="glossary"' "$scratch/html/$three")
ok $((once != 1)) "once, neither in code nor in a heading nor in a compound"
! grep -q 'class="glossary"' "$scratch/html/$one"
ok $? "but not the chapter that explains it"
shows "a toggle has its values and its chapter" lists.html '>0, 1</td>'
shows "the verbs stand where a chapter wants them" $three \
  '<code>check</code></td>'
shows "a recorded run has its command" lists.html \
  '<dt><code>make stage1 bench AGAINST=.*stage0 WIDE=0'
shows "  and one that no terminal shows has it by its name" lists.html \
  '<dt><code>make stage1 profile</code></dt>'
shows "  and its commit" lists.html 'commit abc1234'
shows "a source is listed" sources.html 'id="src-online"'
shows "  with where it is cited" sources.html 'href="02-first.html#ch-first"'
shows "  or why to read it" sources.html 'is not cited, but good'
shows "a drawing has a text for those who can't see it" $three \
  '<svg role="img" aria-label="Three bars'
shows "a roofline has its roofs" $three '>L2 cache</text>'
shows "  and its point, with a label" $three \
  '<circle cx="2[0-9.]*" cy="[0-9.]*" .*/>'
shows "a roofline may have measured roofs" $three \
  '>exponentials</text>'
shows "  the highest at the upper end of the slope" $three \
  '<line x1="336.6" y1="37.2" x2="468.0" y2="37.2" class="axis"'
shows "a share is the first of the second, in percent" $three \
  'title="share floor:[^>]*>50'
shows "references may be multiplied: 19.3 times 1,200 over 800" $three \
  'title="ratio floor:[^>]*>28.95<'
shows "a bar of stalls is as long as all waits together" $three \
  'class="value"[^>]*>5.0</text>'
shows "  its rest what no part names, here a fifth" $three \
  '<rect x="335.20" [^>]*width="82.80"'
shows "a line with conflicts has its code" $three \
  '>18  four.x = twice.four.x., four.y = twice.four.y.;</text>'
shows "  and half of its bar is theirs" $three \
  '<rect x="205.00" .*width="201.00" .*class="box"'
! grep -q '>15  ' "$scratch/html/$three"
ok $? "  and a line without any is not there"
shows "a mark is as far from the limit as it is to it" $three \
  '<g transform="translate.299.1 14.0.">'
shows "  and one that is not finite is at the end" $three \
  '<g transform="translate.604.0 38.0."><circle'
shows "two neighbours of the marked lane share a cell" $three \
  '<text x="25.0" .*class="label" .*>x y</text>'
shows "  as do two of another lane, one above the other" $three \
  '<rect x="46" y="24" width="21" height="38" class="box"'
shows "the marked piece of a row is where the layout has it" $three \
  '<text x="46.0" .*class="label" .*>1.0</text>'
shows "the longest of grouped bars takes all the width" $three \
  '<rect x="130" y="28" width="298.0" height="12" class="bar"'
shows "  and another its share, under the same heading" $three \
  '<rect x="130" y="47" width="187.8" height="12" class="bar"'
shows "a drawing has a whisker" $three 'class="whisker"'
shows "shown output begins with its command" $one 'prompt"><b>echo'
shows "a page has landmarks and a skip link" $one 'class="skip" href="#main"'
shows "a page knows its neighbours" $one 'rel="next" href="02-first.html"'
shows "the index lists the chapters" index.html 'href="03-second.html"'
shows "the current page is marked" $one 'aria-current="page"'

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
