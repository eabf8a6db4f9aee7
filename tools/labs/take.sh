#!/bin/sh
# take.sh FOLDER COPY: brings a reader's file, named like the copy, to where it
# is compiled, and leaves the copy alone where nothing has changed. Messages
# name his file.
set -u
source=$1/${2##*/} copy=$2
[ -f "$source" ] || {
  echo "There is no $source yet: 'make ${1##*/}' lays it out." >&2
  exit 2
}
bring() {
  mkdir -p "$(dirname "$copy")" && printf '#line 1 "%s"\n' "$source" >"$1" &&
    cat "$source" >>"$1"
}
if ! bring "$copy.new"; then
  echo "Cannot copy $source to $copy: the disk may be full." >&2
  exit 3
fi
if cmp -s "$copy.new" "$copy"; then rm "$copy.new"; else mv "$copy.new" "$copy"; fi
