#!/bin/sh
# stamp.sh STAGE: prints a copy of the stage's kernel that stamps its phases, as
# tools/timeline/stamp/STAGE.phases says. Exit 1 if a line of the list is not found
# exactly once in the kernel; 2 if the stage has no list.
#
# A list has one rule a line,
#   PHASE before|after |LINE
# and LINE is a whole line of kernel.cu, blanks in front included. A line of
# the list that begins with blanks and a bar continues LINE: both must follow
# each other. `open` comes before the kernel's own code, `begin` where a block
# starts.
set -u
stage=$1
list=tools/timeline/stamp/$stage.phases
[ -f "$list" ] || {
  echo "timeline: $stage has no list of phases ($list)." >&2
  exit 2
}
#> stamp-kernel
awk -v list="$list" '
  function fail(text) {
    print "timeline: " list ": " text > "/dev/stderr"
    failed = 1
    exit 1
  }
  function code(phase) {
    if (phase == "open")
      return "#include \"tools/timeline/stamp/stamps.cuh\"\nnamespace stamped {"
    if (phase == "begin") return "  stamp_writer stamp;"
    return "  stamp(PHASE_" phase ");"
  }
  FNR == NR {                                  # the list
    if (/^#/ || !/[^ ]/) next
    bar = index($0, "|")
    quoted = substr($0, bar + 1)
    if (bar && /^ *\|/ && rules) {
      text[rules] = text[rules] "\n" quoted
      lines[rules]++
    } else if (/^[A-Za-z_]+ +(before|after) *\|/) {
      phase[++rules] = $1
      where[rules] = $2; sub(/\|.*/, "", where[rules])
      text[rules] = quoted
      lines[rules] = 1
      given[$1]++
    } else fail("line " FNR " is not \"PHASE before|after |LINE\".")
    next
  }
  { kernel[++count] = $0 }
  END {
    if (failed) exit 1
    if (given["open"] != 1 || given["begin"] != 1)
      fail("it needs one \"open\" and one \"begin\".")
    for (r = 1; r <= rules; r++) {
      found = 0
      for (i = 1; i + lines[r] - 1 <= count; i++) {
        here = kernel[i]
        for (j = 1; j < lines[r]; j++) here = here "\n" kernel[i + j]
        if (here != text[r]) continue
        found++
        at = where[r] == "before" ? i : i + lines[r]
        added[at] = added[at] code(phase[r]) "\n"
      }
      if (found != 1)
        fail("\"" text[r] "\" is " (found ? "found " found " times" : \
          "not found") " in the kernel, and must be there once.")
    }
    for (i = 1; i <= count + 1; i++) {
      printf "%s", added[i]
      if (i <= count) print kernel[i]
    }
    print "}  // namespace stamped"
  }
' "$list" "$stage/kernel.cu"
#< stamp-kernel
