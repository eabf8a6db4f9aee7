#!/bin/sh
# Each recorded run names the commit that it was of: that commit must hold the
# kernel whose hash stands beside it.
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
  found=$(cd "$tree" && "$OLDPWD/tools/kernel-hash.sh" "$2") &&
    [ "$found" = "$3" ]
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
