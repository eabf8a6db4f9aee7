#!/bin/sh
# The language of the book and of the sample book, and whether each check of it
# sees what it guards: planted typos, long sentences, terms that come early.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
skip_all_without aspell
root=$(cd "$here/../.." && pwd)

holds "nothing in the book is to be mended" "$book/lint.sh" "$root"

tree=$scratch/tree
export BOOK_WORDS="$scratch/words.txt" BOOK_EARLY="$scratch/early.txt"
one=chapters/01-method.md two=chapters/02-first.md

# A chapter's own words, in order: what the dictionary lacks.
fresh() {
  rm -rf "$tree"
  cp -R "$here/sample" "$tree"
  printf '%s\n' Nsight roofline softmax softmaxes wavefronts >"$BOOK_WORDS"
  : >"$BOOK_EARLY"
}

# add FILE TEXT: at the end, behind a blank line; line is where TEXT begins
add() {
  printf '\n%s\n' "$2" >>"$tree/$1"
  line=$(($(wc -l <"$tree/$1") - $(printf '%s\n' "$2" | wc -l) + 1))
}

# says NAME TEXT...: the check fails with each text, and says nothing else
says() {
  name=$1
  shift
  "$book/lint.sh" "$tree" >"$scratch/said" 2>&1
  [ $? -eq 1 ]
  ok $? "$name: exit 1" "$scratch/said"
  for wanted in "$@"; do
    grep -qF -- "$wanted" "$scratch/said"
    ok $? "$wanted" "$scratch/said"
  done
  [ "$(grep -cE '^[^ ]+:[0-9]+: ' "$scratch/said")" -eq $# ]
  ok $? "$name: nothing else" "$scratch/said"
}

fresh
"$book/lint.sh" "$tree" >"$scratch/said" 2>&1
ok $? "the sample book has nothing to mend" "$scratch/said"
grep -Eq '^ +[0-9.]+ minutes +[0-9]+ words +[1-9][0-9]* lines of code  chapters/02' \
  "$scratch/said"
ok $? "how long a chapter takes is printed"

ten="one two three four five six seven eight nine ten"
add $one "$ten $ten
$ten $ten."
"$book/lint.sh" "$tree" >"$scratch/said" 2>&1
ok $? "a sentence of forty words may stand" "$scratch/said"

fresh
add $one "Short, e.g. this. $ten $ten
$ten $ten \`code\`."
long=$line
add $one "- $ten $ten $ten $ten (in brackets) \"quoted.\" New one."
says "long sentences" \
  "$one:$long: a sentence of 41 words: \"one two" \
  "$one:$line: a sentence of 43 words"

fresh
add $one 'A mispeling in prose, and `mispeling` in code; colour is
right, and color is not.'
typo=$line
add $two '![A captoin](figures/tiles.svg){#fig-third alt="An altternative text"}'
says "spelling" "$one:$typo: is \"mispeling\" a word" \
  "$one:$((typo + 1)): is \"color\" a word" "$two:$line: is \"captoin\" a word" \
  "is \"altternative\" a word"

fresh
printf '%s\n' zebra aardvarkly >>"$BOOK_WORDS"
says "the list of words" "words.txt:6: no text needs \"zebra\"" \
  "words.txt:7: no text needs \"aardvarkly\"" \
  "words.txt:7: \"aardvarkly\" is not in order"

fresh
add chapters/00-preface.md 'Online
softmaxes come later, `online softmax` in code does not count.'
says "a term comes early" \
  "chapters/00-preface.md:$line: \"online softmax\" is explained only in $one"
echo 'chapters/00-preface.md online softmax' >"$BOOK_EARLY"
"$book/lint.sh" "$tree" >"$scratch/said" 2>&1
ok $? "an exception allows it" "$scratch/said"
fresh
echo 'chapters/00-preface.md online softmax' >"$BOOK_EARLY"
says "an exception too many" "early.txt:1: this exception is not needed"

fresh
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    add $two "$ten $ten. $ten. $ten."
  done
done
says "a long chapter" "$two:1: this chapter takes 2"

mkdir "$scratch/few"
for program in sh dirname; do
  ln -s "$(command -v $program)" "$scratch/few/$program"
done
PATH=$scratch/few "$book/lint.sh" "$tree" >"$scratch/said" 2>&1
[ $? -eq 3 ] && grep -q 'needs aspell' "$scratch/said"
ok $? "without aspell: exit 3, and why" "$scratch/said"

finish
