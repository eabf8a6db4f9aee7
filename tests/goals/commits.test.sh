#!/bin/sh
# Each recorded run names the commit that it was of: that commit must hold the
# kernel whose hash stands beside it, or one that machine-code.json says is the
# same machine code.
set -u
. tests/lib.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# holds COMMIT STAGE HASH
holds() {
  tree=$folder/$1
  [ -d "$tree" ] || {
    mkdir "$tree"
    git archive "$1" | tar -xf - -C "$tree" || return
  }
  found=$(cd "$tree" && "$OLDPWD/tools/results/kernel-hash.sh" "$2") &&
    { [ "$found" = "$3" ] || same_code "$2" "$found" "$3"; }
}

# same_code STAGE HASH HASH: for the default arm, in one of the lists
same_code() {
  cat results/*/*/machine-code.json | jq -se --arg stage "$1" --arg a "$2" \
    --arg b "$3" 'any(.[].kernels[] | select(.stage == $stage and
      .arm == "default") | .kernel_hashes; contains([$a, $b]))' >/dev/null
}

# COMMIT STAGE HASH of each, also where one run has several kernels
# shellcheck disable=SC2016 # these are names of jq
find results -name '*.json' -path '*/20*' | sort |
  xargs jq -r '.build_meta? // empty | .commit as $commit |
    (., ((.kernels? // []) | if type == "array" then .[] else .[]? end)) |
    select(.kernel_hash? and $commit) |
    "\($commit) \(.stage) \(.kernel_hash)"' | sort -u >"$folder/list"
[ -s "$folder/list" ]
ok $? "recorded runs name commits"
while read -r commit stage hash; do
  name="$commit has the kernel of $stage that was measured"
  if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
    skip "$name" "that commit is not here"
    continue
  fi
  holds "$commit" "$stage" "$hash" >"$folder/log" 2>&1
  ok $? "$name" "$folder/log"
done <"$folder/list"
finish
