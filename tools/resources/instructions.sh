#!/bin/sh
# What a kernel's machine code is made of, counted where it stands: a loop's body
# once, however often it runs.
#   instructions.sh opcodes FILE.cubin|FILE.ptx   every instruction, one a line
#   instructions.sh count FILE OPCODE             how many begin with that opcode:
#                                             LDG is LDG.E.128 too, not LDGSTS
#   instructions.sh loop FILE.cubin OPCODE [OTHER]   the instructions of the smallest
#                                             loop that has that opcode; or those
#                                             of them that begin with OTHER
#   instructions.sh table STAGE/ARM...            the sums that the book speaks of
# A cubin takes nvdisasm. Where there is none, table reads PTX instead, which the
# assembler may still change. Exit 3 where neither is to be had.
set -eu
here=$(dirname "$0")
nvdisasm=$("$here/../setup/disassembler.sh") || nvdisasm=

need_disassembler() {
  [ -n "$nvdisasm" ] || {
    echo "Reading a cubin takes nvdisasm: 'make setup' installs it." >&2
    exit 3
  }
}

opcodes() {
  case $1 in
  *.cubin)
    need_disassembler
    "$nvdisasm" -c "$1" | sed -nE \
      's/^ +\/\*[0-9a-f]{4,}\*\/ +(@!?U?P[0-9T]+ +)?([A-Z0-9_.]+).*/\2/p'
    ;;
  *)
    sed -nE 's/^[[:space:]{]*(@!?%p[0-9]+[[:space:]]+)?([a-z][a-z0-9_.:]*)[[:space:];].*/\2/p' \
      "$1"
    ;;
  esac
}

count() {
  list=$(opcodes "$1") || exit
  [ -n "$list" ] || {
    echo "No instructions found in $1." >&2
    exit 1
  }
  echo "$list" | awk -v wanted="$2" '
    $1 == wanted || index($1, wanted ".") == 1 { n++ } END { print n + 0 }'
}

# A loop is what lies between a label and a branch back to it.
loop() {
  need_disassembler
  list=$("$nvdisasm" -c "$1") || exit
  echo "$list" | awk -v wanted="$2" -v other="${3:-}" '
    function is(word, name) { return word == name || index(word, name ".") == 1 }
    /^\.L[_a-z0-9]*:/ { at[substr($1, 1, length($1) - 1)] = n; next }
    !/^ +\/\*[0-9a-f]+\*\// { next }
    { n++
      for (i = 2; i <= 3; i++) {
        if (is($i, wanted)) place[n] = 1
        if (is($i, other)) others[n] = 1
      }
      if (/BRA/ && match($0, /\(\.L[_a-z0-9]*\)/)) {
        label = substr($0, RSTART + 1, RLENGTH - 2)
        if (label in at) {
          length_here = n - at[label]
          for (i = at[label] + 1; i <= n; i++)
            if (i in place && (!best || length_here < best)) {
              best = length_here; first = at[label] + 1; last = n
            }
        } } }
    END {
      if (!best) exit 1
      if (other == "") { print best; exit }
      for (i = first; i <= last; i++) if (i in others) found++
      print found + 0 }' || {
    echo "No loop of $1 has $2." >&2
    exit 1
  }
}

table() {
  printf '\n%-42s %6s %8s %8s %7s %5s %7s %5s\n' \
    "instructions as they stand, sm_$ARCH" tensor cp.async ldmatrix barrier \
    mufu convert local
  for arm in "$@"; do
    code=build/gpu/$arm/sm_$ARCH.cubin
    [ -n "$nvdisasm" ] || code=build/gpu/$arm/sm_$ARCH.ptx
    [ -f "$code" ] || {
      printf '%-42s not for this architecture\n' "$arm"
      continue
    }
    opcodes "$code" | awk -v name="$arm" -f "$here/instructions.awk"
  done
  [ -n "$nvdisasm" ] ||
    echo "counted in PTX: there is no nvdisasm here ('make setup')"
}

verb=$1
shift
case $verb in
opcodes) opcodes "$@" ;;
count) count "$@" ;;
loop) loop "$@" ;;
table) table "$@" ;;
*)
  echo "instructions.sh knows opcodes, count and table, not '$verb'." >&2
  exit 2
  ;;
esac
