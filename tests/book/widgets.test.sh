#!/bin/sh
# The models behind the widgets are right, and a wrong one would be seen; pages
# with widgets have what they need, and only these.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
root=$(cd "$here/../.." && pwd)

check() { node "$here/check/widgets.js" "$1" "$root" "$2"; }

holds "wavefronts, as Nsight Compute counts 96 patterns" \
  check "$book/widgets" bank-conflicts
holds "online softmax, against softmax at once" \
  check "$book/widgets" online-softmax
holds "the pipeline, against closed forms and tick by tick" \
  check "$book/widgets" pipeline
holds "settings and drawings" check "$book/widgets" drawing

# ---- the testers ----
# spoilt NAME MODEL FILE SED-SCRIPT: a fault in the copy must be seen
spoilt() {
  rm -rf "$scratch/widgets"
  cp -R "$book/widgets" "$scratch"
  sed -i "$4" "$scratch/widgets/$3"
  ! cmp -s "$book/widgets/$3" "$scratch/widgets/$3" &&
    ! check "$scratch/widgets" "$2" >"$scratch/said" 2>&1 &&
    grep -q ' bad$' "$scratch/said"
  ok $? "seen: $1" "$scratch/said"
}
banks=bank-conflicts.model.js
spoilt "pairs are not served together" bank-conflicts $banks \
  's/pairs ? 2 \* lanes/pairs ? lanes/'
spoilt "pairs are served together in stores" bank-conflicts $banks \
  "s/kind === 'load'/true/"
spoilt "only neighbours are a pair" bank-conflicts $banks \
  's/inPairs(addresses, 1) || inPairs(addresses, 2)/inPairs(addresses, 1)/'
spoilt "a bank has 8 bytes" bank-conflicts $banks 's/WORD = 4/WORD = 8/'
spoilt "lanes that read one word wait" bank-conflicts $banks \
  's/if (known)/if (false)/'
softmax=online-softmax.model.js
spoilt "l is not rescaled" online-softmax $softmax \
  's/l: l \* factor + sum/l: l + sum/'
spoilt "o is not rescaled" online-softmax $softmax \
  's/o: o \* factor + product/o: o + product/'
spoilt "m forgets" online-softmax $softmax 's/Math.max(m, /Math.max(/'
spoilt "a value is another's" online-softmax $softmax \
  's/values\[i\]/values[0]/'
ring=pipeline.model.js
spoilt "a slot is free too early" pipeline $ring \
  's/list\[n - slots\].compute\[1\]/list[n - slots].compute[0]/'
spoilt "one slot more" pipeline $ring 's/n < slots ?/n <= slots ?/'
spoilt "copies never take turns" pipeline $ring 's/n && inTurn/n \&\& false/'
spoilt "nobody waits for a copy" pipeline $ring 's/Math.max(ready, /Math.max(0, /'
spoilt "a drawing with a hole" drawing online-softmax.js \
  's/show(value), { weight }/show(value.x), { weight }/'
spoilt "a number may be too large" drawing fields.js 's/ && value <= max) / ) /'

# ---- the pages ----
export BOOK_FORMATS=html
holds "the sample book builds" \
  "$book/build.sh" "$here/sample" "$scratch/html"
shows "a widget is a figure with a number" 03-second.html \
  '<figure class="drawing widget" data-widget="pipeline" .*id="fig-ring"'
shows "and a reference reads so" 03-second.html '>Figure.3\.4</a>'
shows "its picture is there without JavaScript" 03-second.html \
  '<svg role="img" aria-label="A timeline[^"]*" .*class="plot" viewBox='
shows "its settings are those of the chapter" 03-second.html \
  'data-start="slots = 3&#10;'
shows "  in the picture too" 03-second.html '>slot 2</text>'
for name in fields svg pipeline.model pipeline upgrade; do
  shows "the page loads $name.js" 03-second.html \
    "<script src=\"widgets/$name.js\" defer>"
done
grep -q 'widgets/bank-conflicts' "$scratch/html/03-second.html"
ok $((! $?)) "and no other widget"
grep -lq 'src="widgets/' "$scratch/html/02-first.html" "$scratch/html/index.html"
ok $((! $?)) "pages without a widget load none"

finish
