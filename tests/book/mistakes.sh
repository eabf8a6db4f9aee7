# shellcheck shell=sh disable=SC2034,SC2154
# Mistakes planted into a copy of the sample book, and what the build says of
# them; sourced behind tap.sh, not run.
export BOOK_FORMATS=html

tree=$scratch/tree
out=$scratch/html
kernel0=stage0_first/kernel.cu
kernel1=stage1_second/kernel.cu
results=results/test-device/2026-01-02

fresh() {
  rm -rf "$tree"
  cp -R "$here/sample" "$tree"
  : >"$scratch/expected"
}

# edit FILE SED-SCRIPT
edit() {
  sed -i "$2" "$tree/$1"
}

# add FILE TEXT: at the end, behind a blank line; sets line to where TEXT begins
add() {
  printf '\n%s\n' "$2" >>"$tree/$1"
  line=$(($(wc -l <"$tree/$1") - $(printf '%s\n' "$2" | wc -l) + 1))
}

# expect PLACE TEXT: the beginning of an error line
expect() {
  echo "$1: $2" >>"$scratch/expected"
}

# The build fails with 1, names all that was expected and nothing else, and the
# book of before is still there.
verify() {
  "$book/build.sh" "$tree" "$out" >"$scratch/said" 2>&1
  [ $? -eq 1 ]
  ok $? "$1: exit 1"
  while IFS= read -r wanted; do
    grep -qF -- "$wanted" "$scratch/said"
    ok $? "$wanted"
  done <"$scratch/expected"
  extra=$(grep -E '^[^ ]+(:[0-9]+)?: ' "$scratch/said" |
    grep -vF -f "$scratch/expected")
  [ -z "$extra" ] || echo "$extra" | sed 's/^/# not expected: /'
  [ -z "$extra" ]
  ok $? "$1: no other error"
  grep -q '^the last good book$' "$out/index.html" && [ ! -e "$out.old" ] &&
    [ "$(find "$scratch" -maxdepth 1 -name 'html*' | wc -l)" -eq 1 ]
  ok $? "$1: the last good book is untouched"
}

mkdir "$out"
echo "the last good book" >"$out/index.html"
