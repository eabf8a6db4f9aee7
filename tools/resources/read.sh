#!/bin/sh
# What ptxas says in REPORT that kernels use, in one line:  read.sh REPORT
# Of several functions in one file the most registers and shared memory, and the
# sum of stacks and of spills. Exit 1, with a sentence, where it says nothing.
awk '
  function before(words) {
    return match($0, "[0-9]+ " words) ? substr($0, RSTART) + 0 : 0
  }
  function most(a, b) { return a > b ? a : b }
  {
    stack += before("bytes stack frame")
    spill += before("bytes spill stores") + before("bytes spill loads")
    shared = most(shared, before("bytes smem"))
  }
  match($0, /Used [0-9]+/) {
    registers = most(registers, substr($0, RSTART + 5) + 0)
  }
  END {
    if (!registers) exit 1
    printf "registers=%d shared_bytes=%d stack_bytes=%d spill_bytes=%d\n",
      registers, shared, stack, spill
  }' "$1" 2>/dev/null || {
  echo "No resource report in $1." >&2
  exit 1
}
