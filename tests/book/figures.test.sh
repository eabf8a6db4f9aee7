#!/bin/sh
# Mistakes in figures that are drawn from results, and in the cover: as in
# errors.test.sh, one build must name them all, and nothing else.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/book/mistakes.sh
. "$(dirname "$0")/mistakes.sh"

chapter=chapters/03-second.md

# ---- stalls ----
fresh
add $chapter '```{.figure kind="stalls" alt="Stalls by a reason that nobody recorded"}
part a cat | cat
bar One | stage1_second.ncu:ncu/mission
```

```{.figure kind="stalls" alt="Stalls with a reason in two parts of a bar"}
part a wait | wait
part the same | wait
bar One | stage1_second.ncu:ncu/mission
```

```{.figure kind="stalls" alt="Stalls of what is no profile, 3 us of them"}
rest for 3 us
bar One | stage1_second.ncu:roofline/mission
```

```{.figure kind="stalls" alt="Stalls without a bar or a part"}
```'
expect "$chapter:$((line + 2))" 'the profile knows no reason "cat"'
expect "$chapter:$((line + 7))" 'a line is "part LABEL | REASON"'
expect "$chapter:$((line + 11))" 'the figure "3 us" is typed by hand'
expect "$chapter:$((line + 12))" 'the figure "3 us" is typed by hand'
expect "$chapter:$((line + 13))" '"stage1_second.ncu:roofline/mission" says of no instructions what they waited for'
expect "$chapter:$((line + 16))" 'stalls need a bar, and from 1 to 7 parts'
verify "stalls"

# ---- wavefronts ----
fresh
add $chapter '```{.figure kind="wavefronts" alt="Wavefronts of lines without conflicts"}
quiet | stage1_second:quiet
```

```{.figure kind="wavefronts" alt="Wavefronts that were not counted by line"}
a cat | cat | cat
```

```{.figure kind="wavefronts" alt="Wavefronts that were not counted by line"}
half as 2x | stage1_second:counters
```'
expect "$chapter:$line" 'the figure needs from 1 to 3 counts, and a line with conflicts'
expect "$chapter:$((line + 5))" 'a bar is "LABEL | COUNT:counters/SHAPE"'
expect "$chapter:$((line + 9))" 'the figure "2 x" is typed by hand'
expect "$chapter:$((line + 9))" "$results/stage1_second.json has no \"counters/lines\""
verify "wavefronts"

# ---- groups ----
fresh
add $chapter '```{.figure kind="groups" alt="A bar before its group, one of no number, one that took 3 us"}
bar One | stage1_second:perf/mission/event/p50_us
group All
bar Words | stage1_second:build_meta/stage
bar as 2x | stage1_second:perf/mission/event/p50_us | 4
```

```{.figure kind="groups" fmt="%q" alt="A format that is none"}
group All
bar One | stage1_second:perf/mission/event/p50_us
```

```{.figure kind="groups" alt="A heading with nothing under it"}
group All
```'
expect "$chapter:$line" 'the figure "3 us" is typed by hand'
expect "$chapter:$((line + 1))" 'a line is "group LABEL", or behind one "bar LABEL | VALUE"'
expect "$chapter:$((line + 3))" '"stage1_second:build_meta/stage" is no number that a bar can show'
expect "$chapter:$((line + 4))" 'the figure "2 x" is typed by hand'
expect "$chapter:$((line + 4))" 'a line is "group LABEL", or behind one "bar LABEL | VALUE"'
expect "$chapter:$((line + 7))" 'format "%q" needs exactly one of'
expect "$chapter:$((line + 12))" 'the figure shows nothing'
verify "groups"

# ---- rooflines ----
fresh
add $chapter '```{.figure kind="roofline" alt="A roofline with a slope and without a measured roof"}
slope floor:rates/l2_read/tera_s
One | stage1_second.ncu | mission | right
```

```{.figure kind="roofline" alt="A roofline with ceilings that are none"}
slope floor:rates/l2_read
roof at 3 us | floor:rates/products/tera_s
One | stage1_second.ncu | mission | right
```'
expect "$chapter:$line" 'measured ceilings are a slope and at least one roof'
expect "$chapter:$((line + 5))" 'measured ceilings are a slope and at least one'
expect "$chapter:$((line + 6))" '"floor:rates/l2_read" is no ceiling'
expect "$chapter:$((line + 7))" 'the figure "3 us" is typed by hand'
verify "rooflines"

# ---- dots ----
fresh
add $chapter '```{.figure kind="dots" alt="Marks for what nobody measured in rows"}
rows stage1_second:judged | who | errors
mark small | 1.8x
mark middle | of middle size
```

```{.figure kind="dots" alt="Marks without rows, and a line that is none"}
mark small | the smallest
marks small
```

```{.figure kind="dots" alt="Marks without rows that they could be in"}
mark small | the smallest
```'
expect "$chapter:$((line + 2))" 'the figure "1.8 x" is typed by hand'
expect "$chapter:$((line + 3))" 'the right one has no "middle" that a mark can show'
expect "$chapter:$((line + 8))" 'a line is "rows REF | NAME | PART", once, or "mark'
expect "$chapter:$((line + 11))" 'dots need rows, and from 1 to 5 marks'
verify "dots"

# ---- lanes ----
fresh
add $chapter '```{.figure kind="lanes" alt="Lanes of what is no map of any lanes"}
lane 0
stage1_second:judged | judged
stage1_second:quiet | quiet
```

```{.figure kind="lanes" alt="Lanes without one of them that is marked"}
stage1_second:map | 4 cycles
```

```{.figure kind="lanes" alt="Lanes of a map that nobody recorded"}
lane 0
lane 1
stage1_second:maps | maps
```'
expect "$chapter:$((line + 2))" '"stage1_second:judged" is no map of lanes'
expect "$chapter:$((line + 3))" '"stage1_second:quiet" is no map of lanes'
expect "$chapter:$((line + 6))" 'a figure of lanes needs a lane and a map'
expect "$chapter:$((line + 7))" 'the figure "4 cycles" is typed by hand'
expect "$chapter:$((line + 12))" 'a line is "REF | LABEL", or once "lane NUMBER"'
expect "$chapter:$((line + 13))" "$results/stage1_second.json has no \"maps\""
verify "lanes"

# ---- layouts ----
fresh
add $chapter '```{.figure kind="layout" alt="A layout of what is none, and of nothing"}
piece 0
stage1_second:map | too narrow
stage1_second:quiet | quiet
```

```{.figure kind="layout" alt="A layout without a piece that is marked"}
stage1_second:places | places
```

```{.figure kind="layout" alt="A layout with two pieces that are marked"}
piece 0
piece 1
stage1_second:places | 3 us
```'
expect "$chapter:$((line + 2))" '"stage1_second:map" is no layout'
expect "$chapter:$((line + 3))" '"stage1_second:quiet" is no layout'
expect "$chapter:$((line + 6))" 'a figure of layouts needs a piece, and 1 to 3 layouts'
expect "$chapter:$((line + 12))" 'a line is "REF | LABEL", or once "piece NUMBER"'
expect "$chapter:$((line + 13))" 'the figure "3 us" is typed by hand'
verify "layouts"

# ---- the cover ----
fresh
edit chapters/book.yaml '/^cover:/,$d'
cat >>"$tree/chapters/book.yaml" <<'lines'
cover:
  - Stage 0 | stage0_first:perf/mission/event/p50_us
  - Stage 1 | stage1_second:perf/mission/event/p49_us | %.1f
  - Stage 2 | stage1_second:build_meta/stage | %.1f
  - Stage 3 | stage1_second:perf/mission/event/p50_us | %q
  - In 3 ms | stage1_second:perf/mission/event/p50_us | %.1f
lines
expect chapters/book.yaml:27 'a bar of the cover is "LABEL | VALUE | FORMAT"'
expect chapters/book.yaml:28 "$results/stage1_second.json has no"
expect chapters/book.yaml:29 '"stage1_second:build_meta/stage" is no number'
expect chapters/book.yaml:30 'format "%q" needs exactly one of'
expect chapters/book.yaml:31 'the figure "3 ms" is typed by hand'
verify "the cover"

finish
