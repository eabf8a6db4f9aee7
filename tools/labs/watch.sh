#!/bin/sh
# watch.sh LAB...: grades again each time that the reader saves his file.
set -u
# Of a lab, the file that is his
file_of() {
  file=$(sed -n 's/^file: *//p' labs/*/"$1.lab")
  file=${file:-kernel.cu}
  echo "${MINE:-mine}/$1/${file##*/}"
}
saved() {
  for lab; do stat -c '%Y %s %i' "$(file_of "$lab")" 2>/dev/null; done
}
unset LOCKED MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
for lab; do
  [ -f "$(file_of "$lab")" ] || {
    echo "There is no $(file_of "$lab") yet: 'make $lab' lays it out." >&2
    exit 2
  }
done
trap 'exit 130' INT TERM HUP
before=
while :; do
  now=$(saved "$@")
  if [ "$now" != "$before" ]; then
    before=$now
    for lab; do make "$lab" grade MINE="${MINE:-mine}"; done
    echo "Save $(for lab; do file_of "$lab"; done | sed 's|.*/||' | sort -u |
      tr '\n' ' ')to have it graded again; Ctrl-C ends this."
  fi
  sleep 1
done
