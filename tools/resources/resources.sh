#!/bin/sh
# What ptxas says that a kernel uses.
#   resources.sh read REPORT       registers=N shared_bytes=N stack_bytes=N ...
#   resources.sh within STAGE REPORT   exit 1, with what is over its budget
#   resources.sh table STAGE/ARM...  every architecture against the budget of
#                                    common/harness/settings.json; exit 1 if over
set -eu

read_report() {
  awk '
    function number_before(word,   i) {
      for (i = 2; i <= NF; i++) if (index($i, word) == 1) return $(i - 1)
      return 0
    }
    /bytes stack frame/ {
      stack += $1; spill += $5 + $9 }
    /Used [0-9]+ registers/ {
      sub(/.*Used/, "Used")
      if ($2 > registers) registers = $2
      if (match($0, /[0-9]+ bytes smem/)) {
        shared = substr($0, RSTART, RLENGTH) + 0
        if (shared > most) most = shared } }
    END {
      if (!registers) exit 1
      printf "registers=%d shared_bytes=%d stack_bytes=%d spill_bytes=%d\n",
             registers, most, stack, spill }' "$1"
}

# The budget of one stage: the four numbers in settings.json, in this order.
budget() {
  tr -d '\n' <common/harness/settings.json |
    sed -n "s/.*\"$1\"[ ]*:[ ]*{\([^}]*\)}.*/\1/p" | tr -d ' "' | tr ',:' ' =' 
}

# over LIMITS USED: the limits that are exceeded
over() {
  for limit in $1; do
    have=$(echo "$2" | tr ' ' '\n' | sed -n "s/^${limit%%=*}=//p")
    [ "${have:-0}" -le "${limit#*=}" ] || printf ' over budget: %s' "$limit"
  done
}

# The stage's budget, or an end with one sentence.
limits() {
  budget "$1" | grep . || {
    echo "common/harness/settings.json has no budget for $1." >&2
    exit 1
  }
}

within() {
  limits=$(limits "$1") || exit
  used=$(read_report "$2") || exit
  verdict=$(over "$limits" "$used")
  [ -z "$verdict" ] || { echo "$verdict"; exit 1; }
}

table() {
  status=0
  printf '%-44s %9s %7s %6s %6s\n' 'kernel' registers shared stack spills
  for arm in "$@"; do
    limits=$(limits "${arm%%/*}") || exit
    for cubin in "build/gpu/$arm"/sm_*.cubin; do
      used=$(read_report "$cubin.ptxas") ||
        { echo "No resource report in $cubin.ptxas." >&2; exit 1; }
      verdict=$(over "$limits" "$used")
      [ -z "$verdict" ] || status=1
      name=$(basename "$cubin" .cubin)
      # shellcheck disable=SC2046,SC2183 # four numbers
      printf '%-44s %9s %7s %6s %6s%s\n' "$arm $name" \
        $(echo "$used" | tr ' ' '\n' | sed 's/.*=//') "$verdict"
    done
  done
  return $status
}

verb=$1
shift
case $verb in
read) read_report "$1" ;;
within) within "$@" ;;
table) table "$@" ;;
*) echo "resources.sh knows read, within and table, not '$verb'." >&2; exit 2 ;;
esac
