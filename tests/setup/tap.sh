# shellcheck shell=sh
# For the tests of setup; sourced. A copy of tools/ in a scratch tree, and a
# PATH that holds only what a test puts there: no network, nothing installed.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
source_tools=$(cd "$(dirname "$0")/../../tools" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
tree=$scratch/tree bin=$scratch/bin said='' code=0
mkdir -p "$tree/tools" "$bin"
cp -R "$source_tools/setup" "$source_tools/doctor" "$tree/tools"
unset CUDA_HOME
system_path=$PATH

# link NAME...: programs of this machine that the scripts may use
link() {
  for name in "$@"; do
    ln -sf "$(PATH=$system_path command -v "$name")" "$bin/$name"
  done
}
link sh env cat cmp cp cut date dirname fold flock grep awk head id ln ls mkdir mv \
  readlink rm sed sleep sort tail tr touch uname

# fake NAME <BODY: a program of that name, written by the test
fake() {
  rm -f "$bin/$1"
  { echo '#!/bin/sh'; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# fake_toolkit FOLDER MAJOR.MINOR: as much of one as cuda-home.sh looks at
fake_toolkit() {
  mkdir -p "$1/bin" "$1/lib64" "$1/include/crt" "$1/include/nv" \
    "$1/include/nvtx3"
  for file in include/cuda_runtime.h include/cuda.h include/cuda_fp8.h \
      include/cuda_fp16.h \
      include/cuda_pipeline.h include/mma.h include/crt/host_defines.h \
      include/nv/target include/nvtx3/nvToolsExt.h lib64/libcudart_static.a; do
    : >"$1/$file"
  done
  echo "#define CUDART_VERSION $((${2%.*} * 1000 + ${2#*.} * 10))" \
    >"$1/include/cuda_runtime_api.h"
  printf '#!/bin/sh\necho "Cuda compilation tools, release %s, V%s.1"\n' \
    "$2" "$2" >"$1/bin/nvcc"
  chmod +x "$1/bin/nvcc"
}

# A machine that has every Debian package.
fake_packages() {
  for name in make gcc g++ ccache strace git node chromium qpdf clang \
      shellcheck unzip pdftotext jq codespell aspell; do
    echo 'echo 999.1.2' | fake "$name"
  done
  [ -e "$bin/python3" ] || echo 'echo Python 3.99.1' | fake python3
  : >"$scratch/here"
  sed -i "s|file:[^ ]*|file:$scratch/here|" "$tree/tools/setup/pins.conf"
}

# run COMMAND...: what it says to $said, its exit code to $code
run() {
  said=$(cd "$tree" && PATH=$bin "$@" 2>&1 </dev/null)
  code=$?
}

# holds NAME COMMAND...: a test that passes where the command succeeds
holds() {
  title=$1
  shift
  "$@" && ok 0 "$title" && return
  ok 1 "$title"
  printf 'exit code %s\n%s\n' "$code" "$said" | sed 's/^/# /'
}

says() { printf '%s\n' "$said" | grep -Eq -- "$1"; }
silent_on() { ! says "$1"; }
exits() { [ "$code" -eq "$1" ]; }
is() { [ "$said" = "$1" ]; }
