#!/bin/sh
# PyTorch's context parallel attention in bf16, the peer of stage18_ring:
#   context_parallel.sh RANKS FOLDER SHAPE...
# It writes FOLDER/context_parallel.json; with '' it only prints.
# The Python is the one that setup made (`sh tools/setup/setup.sh peers`), else
# python3.
set -eu
[ $# -ge 3 ] || {
  echo "usage: context_parallel.sh RANKS FOLDER SHAPE..." >&2
  exit 2
}
python=.deps/peers/bin/python
[ -x "$python" ] || python=python3
"$python" -c 'import torch.distributed' 2>/dev/null || {
  echo "This needs PyTorch for CUDA: 'sh tools/setup/setup.sh peers'\
 installs it." >&2
  exit 3
}
ranks=$1 folder=$2
shift 2
commit=${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}
NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} OMP_NUM_THREADS=4 \
  exec tools/make/alone.sh "$python" -m torch.distributed.run --standalone \
  --nproc-per-node "$ranks" tools/context_parallel/context_parallel.py \
  "${folder:+$folder/context_parallel.json}" "$commit" "$@"
