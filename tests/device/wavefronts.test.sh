#!/bin/sh
# The widget of bank conflicts counts what the executor counts.
set -u
. tests/lib.sh
if ! command -v node >/dev/null; then
  skip "the widget of bank conflicts" "node is not installed"
  finish
  exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

compare() {
  node tests/device/wavefronts-widget.js "$1" build/tests/wavefronts >"$scratch/said"
}
compare book/widgets
ok $? "the widget and the executor agree in every setting" "$scratch/said"
sed 's/^/# /' "$scratch/said"

# spoilt NAME SED-SCRIPT: a wrong rule is seen
spoilt() {
  cp -R book/widgets "$scratch/widgets"
  sed -i "$2" "$scratch/widgets/bank-conflicts.model.js"
  ! cmp -s book/widgets/bank-conflicts.model.js \
    "$scratch/widgets/bank-conflicts.model.js" &&
    ! compare "$scratch/widgets" && grep -q 'the executor [0-9]' "$scratch/said"
  ok $? "seen: $1" "$scratch/said"
  rm -r "$scratch/widgets"
}
spoilt "one bank too many" 's/word % BANKS/word % (BANKS + 1)/;
  s/length: BANKS/length: BANKS + 1/'
spoilt "lanes that read one word wait" 's/if (known)/if (false)/'
spoilt "a quarter of the lanes is taken for half" 's|: LANES / 4|: LANES / 2|'

echo "load 3 0" | build/tests/wavefronts >"$scratch/said" 2>&1
[ $? -eq 2 ] && [ "$(wc -l <"$scratch/said")" -eq 1 ]
ok $? "an access that does not exist: one sentence, exit 2" "$scratch/said"
finish
