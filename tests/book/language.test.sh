#!/bin/sh
# The language of the book and of the sample book, and whether each check of it
# sees what it guards: planted typos, long sentences, terms that come early.
# takes: 20 s
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
skip_all_without aspell
root=$(cd "$here/../.." && pwd)

holds "nothing in the book is to be mended" "$book/lint.sh" "$root"

"$book/lint.sh" "$here/sample" >"$scratch/said" 2>&1
ok $? "the sample book has nothing to mend" "$scratch/said"
grep -Eq '^ +[0-9.]+ minutes +[0-9]+ words +[1-9][0-9]* lines of code  chapters/02' \
  "$scratch/said"
ok $? "how long a chapter takes is printed"

mkdir "$scratch/few"
for program in sh dirname; do
  ln -s "$(command -v $program)" "$scratch/few/$program"
done
PATH=$scratch/few "$book/lint.sh" "$here/sample" >"$scratch/said" 2>&1
[ $? -eq 3 ] && grep -q 'needs aspell' "$scratch/said"
ok $? "without aspell: exit 3, and why" "$scratch/said"

plant language
