#!/bin/sh
# Which CUDA toolkit to use:
#   cuda-home.sh             its root: bin/nvcc, include, lib64
#   cuda-home.sh --headers   its include folder; enough for the CPU executor
# The first good one of $CUDA_HOME, nvcc on PATH, and what `make setup` put in
# .deps/cuda. Without one: nothing, the reasons on stderr, and exit code 3.
set -u
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
deps=${tools%/*}/.deps/cuda
oldest=$(sed -n 's/^oldest cuda //p' "$tools/setup/pins.conf")
reasons=

reject() {
  reasons="$reasons$1
"
  return 1
}

# at_least WANTED FOUND: both are MAJOR.MINOR
at_least() {
  [ $((${2%%.*} * 1000 + ${2#*.})) -ge $((${1%%.*} * 1000 + ${1#*.})) ]
}

good() {
  # What setup did not finish has no stamp.
  [ "$1" != "$deps" ] || [ -e "$1/stamp" ] || return
  case $1 in
  *[[:blank:]]*)
    reject "$1 has a blank in it, and make cannot use such a path."
    return ;;
  esac
  if [ "$below" = /include ]; then good_headers "$1"; else good_toolkit "$1"; fi
}

good_toolkit() {
  [ -x "$1/bin/nvcc" ] || reject "$1 has no bin/nvcc." || return
  found=$("$1/bin/nvcc" --version 2>/dev/null |
    sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
  [ -n "$found" ] || reject "$1/bin/nvcc does not run." || return
  at_least "$oldest" "$found" ||
    reject "$1 is CUDA $found; $oldest or newer is needed." || return
  good_headers "$1" || return
  [ -e "$1/lib64/libcudart_static.a" ] ||
    reject "$1 has no lib64/libcudart_static.a."
}

good_headers() {
  for header in cuda_runtime.h cuda_fp8.h cuda_fp16.h cuda_pipeline.h mma.h \
      cuda.h crt/host_defines.h nv/target nvtx3/nvToolsExt.h; do
    [ -e "$1/include/$header" ] ||
      reject "$1 has no include/$header." || return
  done
  found=$(sed -n 's/^#define CUDART_VERSION *\([0-9]*\).*/\1/p' \
    "$1/include/cuda_runtime_api.h" 2>/dev/null)
  found=$((${found:-0} / 1000)).$((${found:-0} % 1000 / 10))
  at_least "$oldest" "$found" ||
    reject "The headers in $1 are CUDA $found; $oldest or newer is needed."
}

case $#${1:-} in
0) below='' ;;
1--headers) below=/include ;;
*) echo "cuda-home.sh takes --headers or nothing." >&2; exit 2 ;;
esac

# The toolkit of the nvcc on PATH. Where that is a script which calls another
# nvcc, only nvcc itself can say where it lies.
of_nvcc() {
  nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc") || return
  root=$(dirname "$(dirname "$nvcc")")
  if [ ! -e "$root/include/cuda_runtime.h" ]; then
    top=$("$nvcc" --dryrun -x cu -c /dev/null 2>&1 |
      sed -n 's/^#\$ TOP=//p')
    [ ! -d "$top" ] || root=$(cd "$top" && pwd -P)
  fi
  echo "$root"
}

for root in "${CUDA_HOME:-}" "$(of_nvcc)" "$deps"; do
  if [ -n "$root" ] && [ -d "$root" ] && good "$root"; then
    echo "$root$below"
    exit 0
  fi
  [ -z "$root" ] || [ -d "$root" ] || [ "$root" = "$deps" ] ||
    reject "CUDA_HOME=$root is not a folder."
done
printf '%s' "${reasons:-There is no CUDA toolkit on PATH, in CUDA_HOME or in \
.deps/cuda.
}" >&2
exit 3
