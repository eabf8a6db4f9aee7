#!/bin/sh
# alone.sh COMMAND...: runs a command that works on a GPU, after whoever on this
# machine is doing so now. The lock is a file that all users can read;
# GPU_LOCK names another one. Exit: the command's.
set -u
lock=${GPU_LOCK:-/tmp/libfp8attention-gpu.lock}

# The user whose process holds the lock: the kernel says so, not the file.
holder() {
  inode=$(stat -L -c %i "$lock")
  pid=$(awk -v end=":$inode" '$2 == "FLOCK" && substr($6, length($6) - \
    length(end) + 1) == end { print $5; exit }' /proc/locks 2>/dev/null)
  stat -c %U "/proc/${pid:-none}" 2>/dev/null || echo somebody
}

[ -e "$lock" ] || (umask 022 && : >"$lock") 2>/dev/null
if [ ! -f "$lock" ] || [ ! -r "$lock" ]; then
  echo "Nobody is kept from the GPU at the same time: $lock cannot be" \
    "opened." >&2
  exec "$@"
fi
exec 9<"$lock"
flock -n 9 || {
  echo "Waiting for the GPU: $(holder) is at work on it." >&2
  flock 9
}
# The command's own children do not inherit the lock.
"$@" 9<&-
