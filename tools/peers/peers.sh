#!/bin/sh
# The stages beside PyTorch's attention:
#   peers.sh run FOLDER COMMIT STAGE/ARM... [-- SHAPE...]   on a GPU
#   peers.sh show [FOLDER [sweep|sweep2|real]]   the newest that is recorded
# The Python is the one that setup made (`sh tools/setup/setup.sh peers`), else python3.
set -eu
python=.deps/peers/bin/python
[ -x "$python" ] || python=python3
# FlashAttention-3, where setup has put it.
PYTHONPATH=$(echo .deps/fa3-fwd-*)${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
verb=$1
shift

show() {
  kind=peers what='run of it'
  case ${2:-} in
    sweep | sweep[1-9]*) kind=$2 what=$2 ;;
    real) kind=real what="run on real tensors" ;;
  esac
  file=$(tools/results/newest.py "$kind.json" "${1:-}") || {
    echo "peers needs a GPU, and no $what is recorded." >&2
    exit 3
  }
  echo "No GPU was used: this is the newest recorded run, $file."
  "$python" tools/peers/peers.py show "$file"
}

[ "$verb" = run ] || { show "$@"; exit; }
"$python" tools/peers/peers.py have || {
  echo "peers needs PyTorch for CUDA: 'sh tools/setup/setup.sh peers' installs it." >&2
  exit 3
}
folder=$1 commit=$2
shift 2
# What 'make floor' measured, here, or the newest first.
FLOORS="$(tools/results/newest.py floor.json "$folder")\
 $(tools/results/newest.py --all floor.json | tr '\n' ' ')"
export FLOORS
# STAGE/ARM becomes its library, in place.
libraries=yes
for word in "$@"; do
  shift
  [ "$word" != -- ] || libraries=
  if [ -n "$libraries" ]; then word=build/gpu/$word/kernel.so; fi
  set -- "$@" "$word"
done
exec "$python" tools/peers/peers.py run "$folder" "$commit" "$@"
