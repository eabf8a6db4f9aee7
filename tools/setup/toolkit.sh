# shellcheck shell=sh disable=SC2154
# The CUDA toolkit from NVIDIA's wheels, no root needed; sourced by setup.sh.
# Each wheel is a part, fetched whole or not at all; when all are here they
# become .deps/cuda at once.

# SET PACKAGE VERSION MEGABYTES of each wheel wanted
wheels() {
  sets='headers\|nvcc\|disassembler'
  [ -z "$headers_only" ] || sets=headers
  sed -n "s/^wheel \($sets\) /\1 /p" "$pins"
}

# Is a good toolkit here; if it is ours, is each wheel of it the pinned one?
toolkit_here() {
  found=$("$tools/setup/cuda-home.sh" ${headers_only:+--headers} 2>/dev/null) ||
    return
  case $found in "$deps"/*) ;; *) return 0 ;; esac
  wheels | while read -r _ package version _; do
    grep -qxF "$package $version" "$deps/cuda/stamp" || exit 1
  done
}

# find_pip WHAT: sets pip to the Python that runs it, to install WHAT
find_pip() {
  pip=$(find_python) || {
    echo "$1 is not installed: that takes a python3 of" \
      "$(sed -n 's/^oldest python //p' "$pins") or newer with pip" \
      "or venv (Debian's python3-venv)." >&2
    return 1
  }
  "$pip" -m pip --version >/dev/null 2>&1 && return
  rm -rf "$deps/pip"
  step 'Making a Python environment for pip' "$pip" -m venv "$deps/pip" ||
    return
  pip=$deps/pip/bin/python
}

# fetch WHAT PACKAGE VERSION MEGABYTES: into its own folder, $part, whole or not
# shellcheck disable=SC2086 # options of pip's, or none
fetch() {
  part=$deps/parts/$2-$3
  [ ! -d "$part" ] || return 0
  rm -rf "$part.new"
  mkdir -p "$deps/parts" "$deps/tmp" &&
    echo "$2==$3 --hash=sha256:$(hash_of "$2")" >"$deps/requirement.txt" &&
    step "$1: $2 $3, $4 MB" env TMPDIR="$deps/tmp" \
      PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
      PIP_RETRIES=2 "$pip" -m pip install $pip_from --no-input \
      --no-deps --no-cache-dir --require-hashes --only-binary :all: --target "$part.new" \
      -r "$deps/requirement.txt" &&
    mv "$part.new" "$part"
}

# What only fetching needs.
clean_up() { rm -rf "$deps/tmp" "$deps/pip" "$deps/requirement.txt"; }

# Does the new toolkit work with this g++?
# shellcheck disable=SC2317 # assemble calls it
try_compile() {
  echo '#include <cuda_runtime.h>
    #include <cuda_fp8.h>
    int main(void) { return 0; }' >"$1/trial.cu" &&
    g++ -fsyntax-only -I"$1/include" -x c++ "$1/trial.cu" || return
  [ ! -x "$1/bin/nvcc" ] || "$1/bin/nvcc" -o "$1/trial" "$1/trial.cu" \
    -gencode arch=compute_90a,code=sm_90a
}

# The wheels' folders become one, laid out as nvcc and the Makefile expect.
# shellcheck disable=SC2317 # step calls it
assemble() {
  new=$deps/cuda.new
  rm -rf "$new"
  mkdir "$new" || return
  for part in "$deps"/parts/*/nvidia/cu*; do
    cp -al "$part/." "$new" 2>/dev/null || cp -a "$part/." "$new" || return
  done
  ln -sfn lib "$new/lib64"
  wheels | while read -r _ package version _; do
    echo "$package $version"
  done >"$new/stamp" || return
  ! command -v g++ >/dev/null || try_compile "$new" || {
    echo "the pinned CUDA toolkit does not compile with this g++ and C library"
    return 1
  }
  rm -rf "$new"/trial* "$deps/cuda"
  mv "$new" "$deps/cuda" && rm -rf "$deps/parts" && clean_up
}

install_toolkit() {
  ! toolkit_here || return 0
  [ -n "$(hash_of nvidia-cuda-runtime)" ] || {
    echo "NVIDIA has no CUDA toolkit for a $(uname -m) that is pinned here." >&2
    return
  }
  find_pip 'The CUDA toolkit' || return 0
  # Parts of other versions must not be mixed in.
  keep=$(wheels | awk '{ printf "%s-%s ", $2, $3 }')
  for part in "$deps"/parts/*; do
    case " $keep" in *" ${part##*/} "*) ;; *) rm -rf "$part" ;; esac
  done
  number=0 list=$(wheels)
  while read -r _ package version megabytes <&3; do
    number=$((number + 1))
    fetch "CUDA toolkit, part $number" "$package" "$version" \
      "$megabytes" 3<&- || return
  done 3<<LIST
$list
LIST
  step 'CUDA toolkit: putting the parts together' assemble
}

# Without a compiler there is nothing to disassemble.
disassembler_here() {
  ! "$tools/setup/cuda-home.sh" >/dev/null 2>&1 ||
    "$tools/setup/disassembler.sh" >/dev/null
}

# The disassembler alone, for a toolkit that came without it.
install_disassembler() {
  ! disassembler_here || return 0
  find_pip 'The disassembler' || return 0
  # shellcheck disable=SC2046 # PACKAGE VERSION MEGABYTES
  fetch Disassembler $(sed -n 's/^wheel disassembler //p' "$pins") || return
  rm -rf "$deps/disassembler"
  mv "$part/nvidia/cu13" "$deps/disassembler" && rm -rf "$part" && clean_up
}

# ---- pandoc, for the book ---------------------------------------------------

pandoc_here() {
  "$tools/setup/pandoc.sh" 2>/dev/null
}

# install_wheel SET NAME WHAT: a wheel that stays a folder of its own
install_wheel() {
  ! "$1_here" || return 0
  name=$2 what=$3
  # shellcheck disable=SC2046 # PACKAGE VERSION MEGABYTES
  set -- $(sed -n "s/^wheel $1 //p" "$pins")
  [ -n "$(hash_of "$1")" ] || {
    echo "There is no $name for a $(uname -m) that is pinned here." >&2
    return 1
  }
  find_pip "$what" || return 0
  fetch "$what" "$@" || return
  rm -rf "$deps/$1"-*
  mv "$part" "$deps" && clean_up
}

# ---- NCCL, for ranks on GPUs -------------------------------------------------

# Without a compiler there are no programs for GPUs.
nccl_here() {
  ! "$tools/setup/cuda-home.sh" >/dev/null 2>&1 ||
    "$tools/setup/nccl-home.sh" >/dev/null 2>&1
}

# ---- FlashAttention-3, for make peers ---------------------------------------

# A folder of its own, which tools/peers/start.py shows to Python.
fa3_here() {
  [ -d "$deps/$(sed -n 's/^wheel fa3 \([^ ]*\) \([^ ]*\) .*/\1-\2/p' "$pins")" ]
}

# ---- Python packages, for make peers, make tensors and for tests ------------

# install_environment GROUP NAME SIZE [OPTION...]: stamped when it is whole;
# options are of pip install
# shellcheck disable=SC2086 # options of pip's, or none
install_environment() {
  ! environment_here "$1" || return 0
  find_pip "$2" || return 0
  group=$1 name=$2 size=$3
  shift 3
  rm -rf "${deps:?}/$group"
  step "Making a Python environment for $name" \
    "$(find_python)" -m venv "$deps/$group" &&
    pip_pins "$group" >"$deps/requirement.txt" &&
    step "$name: $(pip_pins "$group" | cut -d ' ' -f 1 | paste -sd ' '), $size" \
      env PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=2 \
      "$deps/$group/bin/python" -m pip install $pip_from --no-input "$@" \
      --no-cache-dir --only-binary :all: -r "$deps/requirement.txt" &&
    mv "$deps/requirement.txt" "$deps/$group/stamp"
}

# One that fails does not keep the others away.
install_for_tests() {
  fails=0
  install_disassembler || fails=1
  install_environment tests 'pytest, Playwright and check-jsonschema' \
    '60 MB' || fails=1
  return $fails
}
