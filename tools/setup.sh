#!/bin/sh
# Installs what is missing, as pins.conf names it, and nothing else:
#   setup.sh [--headers-only] [core|book|tests]...
# Debian packages by apt-get when root, else it prints the line to hand to an
# administrator. Without a CUDA toolkit of 12.8 or newer, NVIDIA's wheels go to
# .deps/cuda, no root needed; --headers-only takes what the CPU executor needs.
# Exit: 0 all is here; 1 a step failed; 2 usage; 3 something needs other hands.
set -u
tools=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/probes.sh
. "$tools/probes.sh"
deps=$(dirname "$tools")/.deps
log=$deps/setup.log
child='' did='' failed=''

stop() {
  code=$1
  shift
  echo "$*" >&2
  exit "$code"
}

# step SENTENCE COMMAND...: its output goes to the log; a terminal sees seconds
step() {
  sentence=$1 started=$(date +%s) did=yes
  shift
  [ -t 1 ] || echo "$sentence"
  "$@" >>"$log" 2>&1 &
  child=$!
  while [ -t 1 ] && kill -0 "$child" 2>/dev/null; do
    printf '\r%s: %d s ' "$sentence" $(($(date +%s) - started))
    sleep 1
  done
  wait "$child"
  code=$?
  child=''
  [ ! -t 1 ] || echo
  return $code
}

# Why the last step failed, from its log.
why() {
  if grep -qE 'No space left|Errno 28|enough free space' "$log"; then
    echo "The disk is full: free a gigabyte under $deps and $(dirname "$deps")."
  elif grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    echo "The index served a file that is not the pinned one; it was not taken."
  elif grep -qE "No matching distribution|Max retries|resol[uv]|onnection|\
timed out|unreachable|Failed to fetch" "$log"; then
    echo "The network did not give it: check connection and proxy settings."
  else
    tail -n 3 "$log"
  fi
  echo "The log is $log. 'make setup' goes on where it stopped."
}

# ---- Debian packages --------------------------------------------------------

# Packages of the groups asked for that are not here.
missing_packages() {
  for group in $groups; do
    apt_lines "$group" | while read -r package _ probe _; do
      present "$probe" </dev/null || echo "$package"
    done
  done
}

# shellcheck disable=SC2317 # step calls it
apt() {
  # A program that apt starts must not keep this script's lock.
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
    "$@" 9>&-
}

# known PACKAGE...: those that apt's lists here hold; all where it has no lists
known() {
  for package in "$@"; do
    apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' &&
      echo "$package"
  done
}

install_packages() {
  wanted=$(missing_packages)
  [ -n "$wanted" ] || return
  # shellcheck disable=SC2086 # one package a word
  set -- $wanted
  command -v apt-get >/dev/null || {
    echo "There is no apt-get here. Install what these Debian packages hold:"
    echo "  $*"
    return
  }
  if [ "$(id -u)" -eq 0 ]; then
    step 'Reading the lists of Debian packages' apt update
  fi
  # shellcheck disable=SC2046 # one package a word
  set -- $(known "$@")
  # shellcheck disable=SC2086
  [ $# -gt 0 ] || set -- $wanted
  for package in $wanted; do
    case " $* " in
    *" $package "*) ;;
    *) echo "apt has no package $package here: skipped." ;;
    esac
  done
  if [ "$(id -u)" -ne 0 ]; then
    echo 'Hand this line to an administrator:'
    echo "  sudo apt-get install -y --no-install-recommends $*"
  else
    step "Installing $# Debian packages" \
      apt install --no-install-recommends "$@" || { why >&2; failed=yes; }
  fi
}

# ---- the CUDA toolkit -------------------------------------------------------

# SET PACKAGE VERSION MEGABYTES of each wheel wanted
wheels() {
  if [ -n "$headers_only" ]; then sets=headers; else sets='[a-z]*'; fi
  sed -n "s/^wheel \($sets\) /\1 /p" "$tools/pins.conf"
}

hash_of() {
  awk -v package="$1" -v machine="$(uname -m)" '
    $1 == "wheel" { its = $3 == package }
    its && $1 == "sha256" && $2 == machine { print $3 }' "$tools/pins.conf"
}

# Is a good toolkit here; if it is ours, is each wheel of it the pinned one?
toolkit_here() {
  found=$("$tools/cuda-home.sh" ${headers_only:+--headers} 2>/dev/null) ||
    return
  case $found in "$deps"/*) ;; *) return 0 ;; esac
  wheels | while read -r _ package version _; do
    grep -qxF "$package $version" "$deps/cuda/stamp" || exit 1
  done
}

# Sets pip to the Python that runs it.
find_pip() {
  pip=$(find_python) || {
    echo "The CUDA toolkit is not installed: a python3 of 3.10 or newer with" \
      "pip or venv is missing (Debian: python3-venv)." >&2
    return 1
  }
  "$pip" -m pip --version >/dev/null 2>&1 && return
  rm -rf "$deps/pip"
  step 'Making a Python environment for pip' "$pip" -m venv "$deps/pip" ||
    { why >&2; return 1; }
  pip=$deps/pip/bin/python
}

# fetch NUMBER PACKAGE VERSION MEGABYTES: into its own folder, whole or not
fetch() {
  part=$deps/parts/$2-$3
  [ ! -d "$part" ] || return 0
  rm -rf "$part.new"
  mkdir -p "$deps/parts" "$deps/tmp" &&
    echo "$2==$3 --hash=sha256:$(hash_of "$2")" >"$deps/requirement.txt" &&
    step "CUDA toolkit, part $1: $2 $3, $4 MB" env TMPDIR="$deps/tmp" \
      PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
      PIP_RETRIES=2 PIP_TIMEOUT=30 "$pip" -m pip install --no-input --no-deps \
      --no-cache-dir --require-hashes --only-binary :all: --target "$part.new" \
      -r "$deps/requirement.txt" &&
    mv "$part.new" "$part"
}

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
    echo "The pinned CUDA toolkit does not compile with this g++ and C library."
    return 1
  }
  rm -rf "$new"/trial* "$deps/cuda"
  mv "$new" "$deps/cuda" && rm -rf "$deps/parts" "$deps/tmp" "$deps/pip" \
    "$deps/requirement.txt"
}

install_toolkit() {
  ! toolkit_here || return 0
  [ -n "$(hash_of nvidia-cuda-runtime)" ] || {
    echo "NVIDIA has no CUDA toolkit for a $(uname -m) that is pinned here." >&2
    return 1
  }
  find_pip || return
  number=0
  # Parts of other versions must not be mixed in.
  keep=$(wheels | awk '{ printf "%s-%s ", $2, $3 }')
  for part in "$deps"/parts/*; do
    case " $keep" in *" ${part##*/} "*) ;; *) rm -rf "$part" ;; esac
  done
  list=$(wheels)
  while read -r _ package version megabytes <&3; do
    number=$((number + 1))
    fetch $number "$package" "$version" "$megabytes" 3<&- ||
      { why >&2; failed=yes; return 1; }
  done 3<<LIST
$list
LIST
  step 'CUDA toolkit: putting the parts together' assemble ||
    { why >&2; failed=yes; return 1; }
}

# ---- all of it --------------------------------------------------------------

headers_only='' groups=''
for word in "$@"; do
  case $word in
  --headers-only) headers_only=yes ;;
  core | book | tests) groups="$groups $word" ;;
  *)
    stop 2 "setup.sh takes --headers-only, core, book, tests; not '$word'." ;;
  esac
done
asked=${groups:-core} groups=${groups:-core book tests}

{ mkdir -p "$deps" && exec 9>>"$deps/setup.lock"; } 2>/dev/null ||
  stop 1 "$deps cannot be written."
flock -n 9 || {
  echo 'Another setup runs in this tree: waiting for it.'
  flock 9
}
: >"$log" || stop 1 "$deps cannot be written: is the disk full?"
trap '[ -z "$child" ] || kill "$child"; echo; exit 130' INT TERM HUP

install_packages
case " $groups " in *' core '*) install_toolkit ;; esac
[ -z "$failed" ] || exit 1

incomplete=''
for group in $groups; do
  lacking=$(groups=$group missing_packages | tr '\n' ' ')
  [ "$group" != core ] || toolkit_here || lacking="${lacking}CUDA-toolkit "
  [ -n "$lacking" ] || continue
  echo "Still missing in $group: $lacking"
  case " $asked " in *" $group "*) incomplete=yes ;; esac
done
[ -z "$incomplete" ] || exit 3
[ -z "$did" ] && [ -z "$(missing_packages)" ] && echo 'Everything is here.'
[ -z "$did" ] || echo "Done: 'make doctor' shows what is here."
exit 0
