#!/bin/sh
# Can one work in this tree?  ready.sh [FOLDER]: FOLDER, .deps or build, is what
# will be written. Else a sentence says what is in the way and what to do; exit 3.
set -u
CDPATH='' cd "$(dirname "$0")/../.." || exit 3
folder=${1:-build}
[ -e "$folder" ] || folder=.

stop() {
  echo "$*" >&2
  exit 3
}

[ -x tools/setup/ready.sh ] || stop "No program can be run from this tree:" \
  "'sh tools/setup/setup.sh' sets the executable bits again that a zip file" \
  "loses; where that does not help, the file system is mounted noexec, and" \
  "the tree must move."

if [ -n "${TMPDIR:-}" ] && ! { [ -d "$TMPDIR" ] && [ -w "$TMPDIR" ]; }; then
  stop "TMPDIR is '$TMPDIR', which is no folder that can be written: unset it" \
    "or name another."
fi

# What another user, root often, has left there
found=$folder
if [ -w "$folder" ]; then
  [ "$folder" != . ] || exit 0
  # -links +0: not what somebody removes meanwhile
  found=$(find "$folder/" ! -type l -links +0 ! -user "$(id -u)" ! -writable \
    -print -quit 2>/dev/null)
  [ -n "$found" ] || exit 0
fi
me=$(id -un) owner=$(stat -L -c %U "$found")
stop "$me cannot write $(pwd)/${found#./}, which belongs to $owner: run 'sudo" \
  "chown -R $me .' in this folder, or go on as $owner."
