#!/bin/sh
# Where NCCL is: its folder, with include and lib. The first good one of
# $NCCL_HOME, the system's own (then it prints nothing), that of the PyTorch
# that python3 has, and what `setup.sh cluster` has fetched. Exit 3, with a
# sentence, where there is none.
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
good() { [ -e "$1/include/nccl.h" ] && [ -e "$1/lib/libnccl.so.2" ]; }
[ -z "${NCCL_HOME:-}" ] || ! good "$NCCL_HOME" || {
  echo "$NCCL_HOME"
  exit
}
[ ! -e /usr/include/nccl.h ] || exit 0
of_python=$(python3 -c 'import os, nvidia.nccl as n
print(os.path.dirname(n.__file__ or list(n.__path__)[0] + "/x"))' 2>/dev/null)
fetched=$(sed -n 's/^wheel nccl \([^ ]*\) \([^ ]*\).*/\1-\2/p' \
  "$tools/setup/pins.conf")
for folder in "$of_python" "${tools%/*}/.deps/$fetched/nvidia/nccl"; do
  [ -n "$folder" ] && good "$folder" && echo "$folder" && exit
done
echo "NCCL is missing: 'tools/setup/setup.sh cluster' installs it, or set\
 NCCL_HOME." >&2
exit 3
