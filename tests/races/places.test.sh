#!/bin/sh
# The places of planted.list and removed.list: where a kernel is edited
# harmlessly they still fit, a list that does not says so in one sentence, and
# what `race` said of another line is not taken for the mistake.
set -u
. tests/lib.sh
plant=$PWD/build/tests/plant list=tests/races/planted.list
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT

# The code alone, without comments and white space.
code_of() {
  "${CXX:-g++}" -x c++ -fpreprocessed -dD -E -P -w "$1" | tr -d ' \t\n'
}

mkdir -p "$folder/edited"
for stage in stage[0-9]*_*; do
  mkdir "$folder/edited/$stage"
  sed -e '/"/!{ s|  //.*||; s|(|( |g; s|^  |      |; s|, |,  /* __syncthreads(); */|; }' \
    -e 's|^//> .*|// __syncwarp(); above\n\n&\n  // "wait(0); below|' \
    "$stage/kernel.cu" >"$folder/edited/$stage/kernel.cu"
  "$plant" sites "$stage/kernel.cu" >"$folder/sites"
  "$plant" sites "$folder/edited/$stage/kernel.cu" | diff "$folder/sites" - \
    >"$log" && [ -s "$folder/sites" ]
  ok $? "$stage: other comments, lines and blanks rename no barrier" "$log"
done

"$plant" list $list >"$folder/names"
[ "$(wc -l <"$folder/names")" -ge 37 ] &&
  [ "$(sort "$folder/names" | uniq -d | wc -l)" -eq 0 ]
ok $? "the list has its mistakes, each by a name of its own" "$folder/names"
cp -R tests "$folder/edited"
while IFS='|' read -r stage name; do
  "$plant" kernel $list "$stage" "$name" >"$folder/as-it-is.cu" 2>"$log" &&
    ! cmp -s "$folder/as-it-is.cu" "$stage/kernel.cu" &&
    (cd "$folder/edited" && "$plant" kernel $list "$stage" "$name") \
      >"$folder/edited.cu" 2>"$log" &&
    [ "$(code_of "$folder/as-it-is.cu")" = "$(code_of "$folder/edited.cu")" ]
  ok $? "$stage takes '$name' with other comments, lines and blanks" "$log"
done <"$folder/names"

# ---- lists that don't fit -------------------------------------------------------

# refuses NAME TEXT SED: a list edited so is refused in one sentence
refuses() {
  sed "$3" $list >"$folder/list"
  "$plant" kernel "$folder/list" stage2_wmma_pv 'no barrier after P' \
    >"$folder/out" 2>"$log"
  [ $? -eq 1 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$log")" -eq 1 ] &&
    grep -qF -- "$folder/list" "$log" && grep -qF -- "$2" "$log"
  ok $? "$1" "$log"
}
entry="'no barrier after P' of stage2_wmma_pv"
refuses "a region that is missing" \
  "$entry: stage2_wmma_pv/kernel.cu has no region 'p-time-v'." \
  's/p-times-v: __sync/p-time-v: __sync/'
refuses "a place that fits nowhere" "$entry: There is no '__syncgrid' in region \
p-times-v of stage2_wmma_pv/kernel.cu." 's/p-times-v: __syncthreads/p-times-v: __syncgrid/'
refuses "a place that fits twice" "$entry: '__syncthreads' is in 2 statements \
of region store-output of stage2_wmma_pv/kernel.cu: say which, as in '1st" \
  's/p-times-v: __syncthreads/store-output: __syncthreads/'
refuses "a third of two" "$entry: There is no 3rd '__syncthreads' in region \
store-output of stage2_wmma_pv/kernel.cu, only 2." \
  's/p-times-v: __syncthreads/store-output: 3rd __syncthreads/'
refuses "an edit that is none" "$entry: 'delete' is no edit: there are remove" \
  's/p-times-v: __syncthreads | remove/p-times-v: __syncthreads | delete/'
refuses "code to change that is not there" "$entry: '2' must be in the \
statement once, and is there 0 times." \
  's/p-times-v: __syncthreads | remove/p-times-v: __syncthreads | 2 => 3/'
refuses "a line with a field too few" ' has 6 fields, not 7.' 's/| remove //'
refuses "a mistake that it does not have" \
  "stage2_wmma_pv has no mistake 'no barrier after P'." 's/after P /after Q /'
"$plant" kernel "$folder/none" stage2_wmma_pv 'no barrier after P' 2>"$log"
[ $? -eq 1 ] && grep -qx "Cannot read $folder/none: .*" "$log"
ok $? "a list that is not there" "$log"
"$plant" kernels $list >"$log" 2>&1
[ $? -eq 2 ] && grep -q '^usage: plant list LIST' "$log"
ok $? "a verb that it does not know is a mistake in the command" "$log"

# ---- what the book reads --------------------------------------------------------

record=$(sed -n 's/^results: //p' chapters/book.yaml)/planted.json
jq -r '.planted[] | "\(.stage)|\(.mistake)|\(.gates)"' "$record" |
  "$plant" gates >"$folder/gates.json" 2>"$log"
jq -S . "$record" >"$folder/wanted"
jq -S . "$folder/gates.json" | diff "$folder/wanted" - >"$log" &&
  [ -s "$folder/wanted" ]
ok $? "gates writes what is recorded in the form of the record" "$log"
echo 'stage2_wmma_pv|no barrier after P' | "$plant" gates >"$log" 2>&1
[ $? -eq 1 ] && grep -qx 'Every line must be STAGE|NAME|VERDICT.' "$log"
ok $? "and no line without a verdict" "$log"

# ---- what `race` must say -------------------------------------------------------

stage=stage1_cp_async name='the last tile not waited for'
said=chapters/output/stage1-planted-wait.txt
"$plant" kernel $list $stage "$name" >"$folder/kernel.cu"
# found NAME CODE SED: the mistake is found, or not, in an output edited so
found() {
  sed "$3" $said >"$folder/said"
  "$plant" found $list $stage "$name" "$folder/kernel.cu" "$folder/said" \
    >"$log" 2>&1
  [ $? -eq "$2" ]
  ok $? "$1" "$log"
}
found "the mistake is found in what chapter 3 shows" 0 ''
grep -q 'here .*kernel.cu:249 ' $said && grep -q 'there .*kernel.cu:222 ' $said
ok $? "  at these lines"
found "here and there may change places" 0 \
  's/.cu:249 /.cu:0 /; s/.cu:222 /.cu:249 /; s/.cu:0 /.cu:222 /'
found "another kind of finding" 1 's/^read before the wait/race/'
found "a longer kind of finding" 1 's/^read before the wait/& again/'
found "another line here" 1 's/kernel.cu:249/kernel.cu:248/'
found "another line there" 1 's/kernel.cu:222/kernel.cu:224/'
found "another file" 1 's/stage1_cp_async.kernel.cu/stage2_wmma_pv\/kernel.cu/'
found "one of the places only" 1 '/ there /d'
found "the two places in two findings" 1 '/kernel.cu:222/i\
read before the wait: again'
finish
