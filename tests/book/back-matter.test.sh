#!/bin/sh
# The lists of the back matter against what there is: each entry too few or too
# many stops the book.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/book/mistakes.sh
. "$(dirname "$0")/mistakes.sh"

fresh
lists=chapters/back/lists.md
edit $lists 's/^online softmax$/offline softmax/; s/`WIDE`/`NARROW`/; s/`all`/`al`/; s/`SHAPES`/`SHAPE`/; s/`stageN`$/`check`/; s/: `make stageN profile`/./'
expect $lists:4 'there is no term "offline softmax"'
expect chapters/01-method.md:3 'term "online softmax" has no entry in chapters/back'
expect $lists:11 'there is no toggle "NARROW"'
expect $kernel1:1 'toggle "WIDE" has no entry in chapters/back'
expect $lists:21 'there is no goal "al"'
expect tools/make/rules.mk:4 'goal "all" has no entry in chapters/back'
expect tools/make/rules.mk:4 'goal "stageN" has no entry in chapters/back'
expect $lists:24 '"check" has an entry already: line 18'
expect $lists:32 'there is no setting "SHAPE"'
expect tools/make/rules.mk:1 'setting "SHAPES" has no entry in chapters/back'
expect $lists:39 'the entry names no command'
edit $lists 's/^`\*.json`/`ha*.json`/'
expect $lists:48 'no recorded file is named so'
for name in floor gates ncu peers; do
  expect $results/$name.json "no entry of $lists says which command made this"
done
edit chapters/book.yaml '/why:/d; s/^  - sources.md/  - source.md/'
expect chapters/book.yaml:14 'there is no file chapters/back/source.md'
expect chapters/book.yaml:1 'there are sources, but "back" has no sources.md'
expect chapters/back/sources.md 'this page is not in "back" of book.yaml'
verify "the back matter"

fresh
edit chapters/book.yaml '/why:/d; /lists.md/d'
rm "$tree/chapters/back/lists.md"
expect chapters/book.yaml:19 'the source "src-more" is cited nowhere and has no "why"'
expect chapters/book.yaml:1 'there are terms, but no page of "back" has a glossary'
expect chapters/03-second.md:62 'there is no list of goals in chapters/back to take verbs'
verify "no lists"

finish
