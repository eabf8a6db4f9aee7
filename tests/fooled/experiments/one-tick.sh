#!/bin/sh
# A difference of one tick of the clock, and the ticks of two clocks.
set -u
. tests/fooled/lib.sh
run=$recorded/stage3/stage3_fused_softmax.json
echo "the earlier project's times, in steps of 1.024 us:"
sed -n 's/.*"\(before\|after\)_us": \([0-9.]*\).*/\2/p' \
  results/original-l4/claims.json | sort -u -n | awk '$1 != int($1) {
    ticks = int($1 / 1.024 + 0.5)
    off = $1 - ticks * 1.024
    printf "  %8.2f us = %4d ticks%s\n", $1, ticks,
           off * off < 0.000036 ? "" : ", and not quite" }'
accepts 'multiples of 32 ns' "awk -f tests/fooled/tick.awk $run"
echo

# faster TICKS: the recorded result, its medians between events that much less
faster() {
  awk -v less="$1" '
    /"event": \{/ { event = 1 }
    /"graph": \{/ { event = 0 }
    event && /"p50_us":/ { sub(/[0-9.]+,/, $2 - 0.032 * less ",") }
    { print }' "$run" >"build/faster-$1.json"
}
for ticks in 1 10; do
  faster $ticks
  echo "the same result, made $ticks of our ticks faster:"
  wanted='no difference'
  [ $ticks -eq 1 ] || wanted=' [0-9.]+ % +1'
  accepts "mission +event .*$wanted" \
    "build/tools/compare $run build/faster-$ticks.json" '^shape'
done
verdict
