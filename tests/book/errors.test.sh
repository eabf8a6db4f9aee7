#!/bin/sh
# Every kind of mistake stops the book, with its file and line, and leaves the
# last good book in place. Mistakes are planted several at a time into a copy of
# the sample book: one run must name them all, and nothing else.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/book/mistakes.sh
. "$(dirname "$0")/mistakes.sh"

# ---- regions ----
fresh
edit chapters/02-first.md 's/region="helper"/region="helpful"/'
expect chapters/02-first.md:8 "there is no region \"helpful\" in $kernel0"
expect $kernel0:5 'region "helper" is cited by no chapter'
for number in 6 7 8 9; do
  expect $kernel0:$number 'this line is in no region that chapters/02-first.md cites'
done
edit Makefile '$a #> spare\nspare:\n#< spare'
expect Makefile:5 'region "spare" is cited by no chapter'
verify "missing and uncited regions"

fresh
edit $kernel0 's|^//< helper|//< helping|'
expect $kernel0:10 'region "helping" is closed inside region "helper"'
expect $kernel0:5 'region "helper" is not closed'
expect chapters/02-first.md:25 "$results/stage0_first.json was measured with another kernel"
expect $kernel1:5 'region "helper" is cited by no chapter'
edit Makefile '$a #> goal\n#< goal\n#< other\n#> Bad Name'
expect Makefile:5 'region "goal" is opened twice, first in line 1'
expect Makefile:7 'region "other" is closed but was not opened'
expect Makefile:8 'a region marker is "//> name" in lower case'
verify "unbalanced regions"

fresh
edit $kernel0 's|^//< kernel|//< launch|; s|^//> launch|//> kernel|'
expect $kernel0:19 'region "launch" is closed'
expect $kernel0:21 'region "kernel" is opened twice, first in line 12'
expect chapters/02-first.md:19 'there is no region "launch"'
"$book/build.sh" "$tree" "$out" >"$scratch/said" 2>&1
ok $(($? != 1)) "mis-nested regions: exit 1"
while IFS= read -r wanted; do
  grep -qF -- "$wanted" "$scratch/said"
  ok $? "$wanted"
done <"$scratch/expected"

# ---- the kernels ----
fresh
printf '\n%s\n' 'constexpr int SPARE = 1;' >>"$tree/$kernel0"
expect $kernel0:27 'this line is in no region that chapters/02-first.md cites'
edit $kernel0 's|^// Twice x.|// Twice x, which is a very long comment that goes on beyond the eightieth column|'
expect $kernel0:6 'the line has 81 columns; 80 fit'
edit $kernel1 's|return 2.0f|return 3.0f|'
expect $kernel1:8 'this line is in no region that chapters/03-second.md cites'
expect $kernel1:6 'this line is in no region that chapters/03-second.md cites'
expect $kernel1:5 'region "helper" is cited by no chapter'
expect chapters/02-first.md:25 "$results/stage0_first.json was measured with another kernel"
expect chapters/03-second.md:18 "$results/stage1_second.json was measured with another kernel"
expect chapters/03-second.md:22 "$results/peers.json was measured with another kernel than stage1_second"
expect chapters/03-second.md:26 "$results/stage1_second.WIDE-0.json was measured with another"
expect chapters/03-second.md:31 "$results/stage1_second.ncu.json was measured with another"
expect chapters/03-second.md:34 "$results/stage1_second.timeline.json was measured with another"
verify "a changed kernel"

# Of kernel 1 the default arm is the same machine code as before, WIDE-0 is not.
fresh
edit floor/read.cu 's/+=/-=/'
sed -i 's|^// Twice x|// Double x|' "$tree/$kernel0" "$tree/$kernel1"
measured=$(jq -r .build_meta.kernel_hash "$tree/$results/stage1_second.json")
now=$(cd "$tree" && tools/results/kernel-hash.sh stage1_second)
printf '{"kernels": [{"stage": "stage1_second", "arm": "default",
  "kernel_hashes": ["%s", "%s"]}, {"stage": "stage1_second", "arm": "WIDE-0",
  "kernel_hashes": ["%s"]}, {"stage": "stage0_first", "arm": "default",
  "kernel_hashes": ["%s"]}]}' "$measured" "$now" "$measured" "$now" \
  >"$tree/$results/machine-code.json"
expect chapters/02-first.md:25 "$results/stage0_first.json was measured with another kernel"
expect chapters/03-second.md:26 "$results/stage1_second.WIDE-0.json was measured with another"
expect chapters/03-second.md:99 "$results/floor.json was measured with another kernel than floor now is"
verify "an arm that was carried over, and others"

fresh
edit floor/read.cu 's/+=/-=/'
expect chapters/03-second.md:99 "$results/floor.json was measured with another kernel than floor now is"
verify "a changed kernel of the floor"

fresh
rm "$tree/tools/results/kernel-hash.sh"
expect chapters/02-first.md:25 "cannot check the kernel of $results/stage0_first.json: tools/results/kernel-hash.sh is missing"
expect chapters/03-second.md:18 "cannot check the kernel of $results/stage1_second.json: tools/results/kernel-hash.sh is missing"
expect chapters/03-second.md:22 'cannot check the kernel of results/test-device/2026-01-02/peers.json'
expect chapters/03-second.md:99 "cannot check the kernel of $results/floor.json"
expect chapters/03-second.md:31 "cannot check the kernel of $results/stage1_second.ncu.json"
expect chapters/03-second.md:26 "cannot check the kernel of $results/stage1_second.WIDE-0.json"
expect chapters/03-second.md:34 "cannot check the kernel of $results/stage1_second.timeline.json"
mkdir "$tree/stage2_third"
cp "$tree/$kernel1" "$tree/stage2_third"
expect chapters/book.yaml:1 'no chapter has "stage: stage2_third"'
verify "no hash, and a stage without a chapter"

# ---- results ----
fresh
add chapters/02-first.md 'A [stage9_none:perf/x]{.num} and
[stage0_first:perf/huge/event/p50_us]{.num}, [stage0_first]{.num},
[stage0_first:perf/small/event/p50_us]{.num fmt="%q"},
[stage0_first:perf/small/event/p50_us]{.num fmt="%d"}, [stage0_first:perf]{.num},
[stage0_first:perf/small/event/p50_us]{.saved},
[stage0_first:counters/global_sectors stage0_first:counters/bank_conflicts]{.ratio},
[stage0_first:perf/small/event/p50_us×stage0_first:perf]{.num}.'
expect "chapters/02-first.md:$line" "there is no result file $results/stage9_none.json"
expect "chapters/02-first.md:$((line + 1))" "$results/stage0_first.json has no \"perf/huge/event/p50_us\" (at \"huge\")"
expect "chapters/02-first.md:$((line + 1))" '"stage0_first" is not a reference FILE:key/key'
expect "chapters/02-first.md:$((line + 2))" 'format "%q" needs exactly one of'
expect "chapters/02-first.md:$((line + 3))" '9.5 is not whole, as format "%d" wants'
expect "chapters/02-first.md:$((line + 3))" '"stage0_first:perf" is not a single value'
expect "chapters/02-first.md:$((line + 4))" 'saved needs two references'
expect "chapters/02-first.md:$((line + 5))" 'ratio of stage0_first:counters/global_sectors and stage0_first:counters/bank_conflicts divides by zero'
expect "chapters/02-first.md:$((line + 6))" 'stage0_first:perf is no number'
edit $results/ncu.json 's/2182137,/2182137,,/'
expect $results/ncu.json:1 'not valid JSON: a key is expected'
edit $results/stage1_second.WIDE-0.json '/kernel_hash/s/, "kernel_hash.*"/, "other": 1/'
expect chapters/03-second.md:26 "$results/stage1_second.WIDE-0.json has no build_meta/kernel_hash"
verify "results"

# ---- typed figures ----
fresh
add chapters/01-method.md 'It takes 12.3 us, or 4 ms,
which is **40** % less, a factor of 1.8x or 2× and 3 GB/s at 1,980 MHz
in 5 µs; $7\,\mathrm{ms}$ and $8\,\%$.

But 16x16, 16 × 32, sm_90, 5 shapes, `9 ms`, 1990s and [3 ms]{.calc} may stand.

## Ten in 10 s

| a | b |
|---|---|
| 1 | 6 ns |

::: {.note}
- 11 percent
:::

A [20 %]{.cited} gain from nowhere.'
for figure in '12.3 us' '4 ms'; do
  expect "chapters/01-method.md:$line" "the figure \"$figure\" is typed by hand"
done
for figure in '40 %' '1.8 x' '2 x' '3 GB/s' '1,980 MHz'; do
  expect "chapters/01-method.md:$((line + 1))" "the figure \"$figure\" is typed by hand"
done
for figure in '5 µs' '7 ms' '8 %'; do
  expect "chapters/01-method.md:$((line + 2))" "the figure \"$figure\" is typed by hand"
done
expect "chapters/01-method.md:$((line + 6))" 'the figure "10 s" is typed by hand'
expect "chapters/01-method.md:$((line + 10))" 'the figure "6 ns" is typed by hand'
expect "chapters/01-method.md:$((line + 13))" 'the figure "11 percent" is typed by hand'
expect "chapters/01-method.md:$((line + 16))" 'a cited figure, but no source in this paragraph'
edit chapters/03-second.md 's/caption="The new body"/caption="The new body saves 30 %"/'
expect chapters/03-second.md:10 'the figure "30 %" is typed by hand'
verify "typed figures"

# ---- references, ids and files ----
fresh
add chapters/01-method.md 'See @fig-none, @src-none and @xyz-none, [there](#nowhere),
[a file](../Makefile), [a term]{.term}, [a term]{.term}, ![x](y.png) and [x]{.strange}.

### Again {#sec-tools}

::: {.box}
:::

::: {.exercise #ex-open}
No answer.
:::

<b>raw</b>

# Second title

$$ \unknown{1} $$

And $\frac{1$.'
chapter=chapters/01-method.md
expect "$chapter:$line" 'there is nothing with the id "fig-none"'
expect "$chapter:$line" 'there is nothing with the id "src-none"'
expect "$chapter:$line" '"@xyz-none" is no kind of reference'
expect "$chapter:$line" 'there is nothing with the id "nowhere"'
expect "$chapter:$((line + 1))" 'the link "../Makefile" leads neither to #id nor'
expect "$chapter:$((line + 1))" 'id "term-a-term" is taken'
expect "$chapter:$((line + 1))" 'term "a term" has no entry in chapters/back'
expect "$chapter:$((line + 1))" 'an image stands alone in its paragraph'
expect "$chapter:$((line + 1))" 'there is no span of class "strange"'
expect "$chapter:$((line + 3))" 'id "sec-tools" is taken'
expect "$chapter:$((line + 5))" 'there is no block of class "box"'
expect "$chapter:$((line + 8))" 'exercise "ex-open" has no answer'
expect "$chapter:$((line + 12))" 'raw HTML or TeX is not for chapters'
expect "$chapter:$((line + 14))" 'a chapter has one heading of the first level'
expect "$chapter:$((line + 16))" 'formula: KaTeX parse error'
expect "$chapter:$((line + 18))" 'this TeX is not read as a formula'
verify "references and ids"

fresh
chapter=chapters/03-second.md
add $chapter '```{.cuda file="none.cu" region="x"}
```

```{.cuda file="stage1_second/kernel.cu" region="body" colour="red"}
typed
```

```{.cuda}
int typed;
```

```{.output file="none.txt"}
```

```{.output file="plain.txt"}
```

```{.figure file="none.svg" alt="A drawing that is not there"}
```

```{.figure file="bad.svg"}
```

```{.diff stage="stage1_second" against="stage0_first" region="helper"}
```

```{.figure kind="roofline" alt="A roofline with a point that is nowhere"}
One | stage1_second.ncu | mission | above
```

```{.cuda file="Makefile" caption="a `code`"}
```

![A picture](elsewhere/x.svg){alt="A picture of something"}'
expect "$chapter:$line" 'there is no file none.cu'
expect "$chapter:$((line + 3))" 'there is no attribute "colour"'
expect "$chapter:$((line + 3))" 'the block must be empty'
expect "$chapter:$((line + 7))" 'code is cut from a source'
expect "$chapter:$((line + 11))" 'there is no file chapters/output/none.txt'
echo "no command" >"$tree/chapters/output/plain.txt"
expect chapters/output/plain.txt:1 'the first line must be "$ " and the command'
expect "$chapter:$((line + 17))" 'there is no file chapters/figures/none.svg'
printf '<svg viewBox="0 0 9 9">\n<script>x</script></svg>\n' \
  >"$tree/chapters/figures/bad.svg"
expect chapters/figures/bad.svg:2 'an inlined figure may not contain "<script"'
expect "$chapter:$((line + 20))" 'the figure needs alt='
expect "$chapter:$((line + 23))" "$kernel0 and $kernel1 do not differ in region \"helper\""
expect "$chapter:$((line + 27))" 'a point is "LABEL | PROFILE | SHAPE | left"'
expect "$chapter:$((line + 26))" 'the figure shows nothing'
expect "$chapter:$((line + 30))" 'this line may not hold a backquote'
expect "$chapter:$((line + 30))" 'there is no span of class "cuda"'
expect "$chapter:$((line + 31))" 'code is cut from a source'
echo '$ true' >"$tree/chapters/output/unused.txt"
expect chapters/output/unused.txt 'no chapter shows this file'
cp "$tree/chapters/figures/tiles.svg" "$tree/chapters/figures/unused.svg"
expect chapters/figures/unused.svg 'no chapter shows this file'
verify "blocks and files"

# ---- the list of chapters ----
fresh
echo '# Stray {#ch-stray}' >"$tree/chapters/09-stray.md"
expect chapters/09-stray.md 'this chapter is not in book.yaml'
edit chapters/book.yaml 's/^results:/colour: red\nresults:/; s/^back:/  - file: 05-none.md\n    stage: stage1_second\nback:/'
expect chapters/book.yaml:4 'there is no key "colour"'
expect chapters/book.yaml:13 'there is no file chapters/05-none.md'
edit chapters/00-preface.md '1s/.*/Some text./'
expect chapters/00-preface.md:6 'a chapter begins with "# Title {#ch-name}"'
expect chapters/00-preface.md:1 'a chapter begins with "# Title {#ch-name}"'
verify "the list of chapters"

# Two chapters for one kernel: the second shows it all, if book.yaml lets it.
fresh
edit chapters/book.yaml 's/stage: stage0_first/also: stage0_first/; s/^  - file: 01.*/&\n    stage: stage0_first/'
"$book/build.sh" "$tree" "$scratch/also/html" >"$scratch/said" 2>&1
ok $? "a second chapter may show lines of a kernel" "$scratch/said"
edit chapters/book.yaml '/also: stage0_first/d'
"$book/build.sh" "$tree" "$out" >"$scratch/said" 2>&1
[ $? -eq 1 ] && grep -q 'in no region that chapters/01-method.md cites' \
  "$scratch/said"
ok $? "  and only then" "$scratch/said"
fresh
edit chapters/book.yaml 's/^  - file: 01.*/&\n    also: stage9_none/'
expect chapters/book.yaml:7 'there is no file stage9_none/kernel.cu'
verify "a second chapter for a stage that is not there"

fresh
rm "$tree/chapters/book.yaml"
"$book/build.sh" "$tree" "$out" >"$scratch/said" 2>&1
[ $? -eq 1 ] && grep -q 'book.yaml is missing' "$scratch/said"
ok $? "no book.yaml: exit 1"

fresh
edit chapters/book.yaml 's/^chapters:/chapters: [/'
"$book/build.sh" "$tree" "$out" >"$scratch/said" 2>&1
[ $? -eq 1 ] && grep -q 'book.yaml is not valid YAML' "$scratch/said"
ok $? "no valid YAML: exit 1"

finish
