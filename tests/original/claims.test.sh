#!/bin/sh
# The earlier project's claims: every field is there, and no tool takes them
# for results of this project.
set -u
. tests/lib.sh
here=$PWD
folder=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$folder" "$log"' EXIT
claims=results/original-l4/claims.json

if ! tools/setup/pandoc.sh 2>/dev/null; then
  skip "the claims" "pandoc is not installed; make setup"
else
  tests/original/claims.lua $claims >"$log" 2>&1
  ok $? "every claim has its fields, and words from the lists" "$log"
  # spoilt NAME SED-SCRIPT TEXT: the check says so
  spoilt() {
    sed "$2" $claims >"$folder/spoilt.json"
    ! tests/original/claims.lua "$folder/spoilt.json" >"$log" 2>&1 &&
      grep -qF -- "$3" "$log"
    ok $? "$1" "$log"
  }
  spoilt "a field that is missing" '/"id": "stage2"/,/"why"/s/"file".*/"f": "",/' \
    'stage2 has no file'
  spoilt "a verdict of no list" 's/"verdict": "weak"/"verdict": "fine"/' \
    'there is no verdict "fine"'
  spoilt "a commit that is none" 's/"commit": "f686/"commit": "v2.0-/' \
    'is no commit'
  spoilt "a figure in words" 's/"after_us": 656.38/"after_us": "656"/' \
    'no number'
  spoilt "a claim twice" 's/"id": "stage3a"/"id": "stage2"/' 'twice'
fi

# A result with a stage's name in that folder is the most that could go wrong.
enter_copy "$folder/tree"
run=$(find results -name stage1_cp_async.json | head -n 1)
sed 's/"p50_us": [0-9.]*/"p50_us": 0.001/' "$run" \
  >results/original-l4/stage1_cp_async.json
sed 's/"p50_us": [0-9.]*/"p50_us": 0.002/' "$run" \
  >results/original-l4/stage0_scalar.json
make stage0 stage1 compare >"$log" 2>&1
code=$?
[ $code -eq 0 ] && ! grep -q ' 0\.00 ' "$log"
ok $? "compare of two stages looks elsewhere" "$log"
make compare >"$log" 2>&1
cmp results/COMPARE.md "$here/results/COMPARE.md" >>"$log" 2>&1
ok $? "compare of all writes the same page" "$log"
tools/readme/readme.lua --check >"$log" 2>&1
ok $? "the README's table is the same" "$log"
make stage1 profile TARGET=cpu >"$log" 2>&1
! grep -q original "$log"
ok $? "profile reads elsewhere" "$log"
! build/tools/compare "$run" $claims >"$log" 2>&1
ok $? "compare refuses the claims as a result" "$log"
! grep -q original-l4 chapters/book.yaml README.md
ok $? "neither the book's results nor the README name the folder"
find results -mindepth 2 -maxdepth 3 -name '2*' -prune -o -path \
  '*original-l4/*' -type d -print >"$log"
[ ! -s "$log" ]
ok $? "no dated folder in it" "$log"
if tools/setup/pandoc.sh 2>/dev/null; then
  grep -q 'rows results/original-l4/claims.json:claims ' \
    chapters/09-how-we-fooled-ourselves.md
  ok $? "the chapter's table is made of the claims"
else
  skip "the chapter's table" "pandoc is not installed; make setup"
fi
finish
