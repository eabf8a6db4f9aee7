#!/bin/sh
# Mistakes in listings with two columns and in widgets, as errors.test.sh has
# those in all else.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/book/mistakes.sh
. "$(dirname "$0")/mistakes.sh"
chapter=chapters/03-second.md

# ---- old beside new ----
fresh
echo 'int one;' >"$tree/stage0_first/more.c"
printf 'int one;\nint two;\n' >"$tree/stage1_second/more.c"
add $chapter '```{.diff stage="stage1_second" against="stage0_first" file="more.c" layout="beside"}
```

```{.diff stage="stage1_second" against="stage0_first" region="launch" layout="above"}
```

```{.cuda file="stage1_second/kernel.cu" region="body" layout="beside"}
```

```{.diff stage="stage1_second" against="stage0_first" region="none" layout="beside"}
```'
expect "$chapter:$line" 'stage1_second/more.c only gains lines: nothing can stand beside them'
expect "$chapter:$((line + 3))" 'there is no layout "above"'
expect "$chapter:$((line + 6))" 'layout="beside" is for a difference'
expect "$chapter:$((line + 9))" "there is no region \"none\" in $kernel0"
expect "$chapter:$((line + 9))" "there is no region \"none\" in $kernel1"
verify "old beside new"

# ---- widgets ----
fresh
add $chapter '```{.widget kind="abacus" alt="Beads on rods that can be moved"}
```

```{.widget kind="pipeline"}
```

```{.widget kind="pipeline" alt="A ring of five slots, which is too many"}
copy = 3

slots = 5
```

```{.widget kind="pipeline" alt="A ring whose settings are not known"}
speed = 3
```

```{.widget kind="online-softmax" alt="A row with too few values for its scores"}
scores = 1 2 3
```

```{.widget alt="A widget that does not say what it is"}
```

```{.widget kind="pipeline" file="ring.svg" alt="A widget that is a drawing too"}
```'
expect "$chapter:$line" 'there is no widget "abacus"; there are bank-conflicts, online-softmax, pipeline'
expect "$chapter:$((line + 3))" 'the figure needs alt='
expect "$chapter:$((line + 9))" 'Slots of the ring: a whole number from 1 to 4.'
expect "$chapter:$((line + 13))" 'a setting is "name = value", with one of the names copy, '
expect "$chapter:$((line + 16))" '3 scores need as many values; there are 4.'
expect "$chapter:$((line + 20))" 'there is no widget ""; there are'
expect "$chapter:$((line + 23))" 'a widget has no file'
verify "widgets"

finish
