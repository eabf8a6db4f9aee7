#!/bin/sh
# Says what is here, what is missing, and what each missing piece would enable.
#   doctor.sh           what can be done now, and the whole list; exit 3 where
#                       even the CPU executor lacks something, else 0
#   doctor.sh --brief   at most four lines; exit 0
#   doctor.sh --words   for programs: NAME WORD... a line; exit 0
set -u
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup/present.sh
. "$tools/setup/present.sh"
# shellcheck source=tools/setup/aarch64.sh
. "$tools/setup/aarch64.sh"

missing='' core_complete=yes book_complete=yes compiler='' root='' gpu=''
text=''
# The tests have a /proc of their own.
proc=${DOCTOR_PROC:-/proc}
# shellcheck disable=SC2046 # one package a word
packaged=$(dpkg-query -W -f '${Package} ${Version}\n' \
  $(apt_lines '[a-z]*' | cut -d ' ' -f 1) 2>/dev/null)

# The list is written into $text: what it comes to is said before it.
# row FORMAT WORD...: a line of it, no wider than a terminal
row() {
  # shellcheck disable=SC2059 # the format is one of those below
  text="$text
$(printf "$@" | cut -c 1-80 | sed 's/ *$//')"
}
heading() {
  row ''
  row '%s' "$*"
}
here() { row '  here     %-17s %s' "$1" "${2#"${tools%tools}"}"; }
# lacks NAME PURPOSE
lacks() { row '  MISSING  %-17s for %s' "$@"; }
# too_old NAME VERSION OLDEST PURPOSE
too_old() { row '  TOO OLD  %-17s %s; %s or newer for %s' "$@"; }
say() {
  text="$text
$(printf '%s\n' "$*" | fold -s -w 69 | sed 's/^/           /; s/ *$//')"
}

# version_of PACKAGE PROBE: Debian's number for it, else what it says itself
version_of() {
  program=$(command -v "${2#command:}" 2>/dev/null) found=
  case ${program:-/usr/bin/} in
  /usr/bin/*)
    found=$(echo "$packaged" | sed -n "s/^$1 //p" |
      sed 's/^[0-9]*://; s/[-+~].*//') ;;
  esac
  [ -n "$found" ] || [ -z "$program" ] || found=$("$program" --version 2>&1 |
    grep -oE -m 1 '[0-9]+(\.[0-9]+)+' | head -n 1)
  case $program in
  '' | /usr/bin/*) echo "$found" ;;
  *) echo "$found ($program)" ;;
  esac
}

# group NAME: each of its Debian packages
group() {
  list=$(apt_lines "$1")
  while read -r package _ oldest probe purpose; do
    if present "$probe" "$oldest"; then
      [ "$probe" = pip ] || here "$package" "$(version_of "$package" "$probe")"
      continue
    elif present "$probe"; then
      found=$(version_of "$package" "$probe")
      too_old "$package" "${found%% *}" "$oldest" "$purpose"
    else
      lacks "$package" "$purpose"
    fi
    missing="$missing $package"
    case $1,$package in
    core,unifdef) book_complete='' ;;
    core,git | core,python3-venv) ;; # the executor does without
    core,*) core_complete='' ;;
    book,*) book_complete='' ;;
    esac
  done <<LIST
$list
LIST
}

# fetched NAME PURPOSE COMMAND...: what setup fetches; the command says of it
# where it is, or its version
fetched() {
  name=$1 purpose=$2
  shift 2
  answer=$("$@" 2>/dev/null)
  if [ -n "$answer" ]; then
    here "$name" "$answer"
    return
  fi
  lacks "$name" "$purpose"
  missing="$missing $(echo "$name" | tr ' ' -)"
  return 1
}

toolkit() {
  fetched 'CUDA headers' 'kernels on the CPU executor' \
    "$tools/setup/cuda-home.sh" --headers || core_complete=
  heading 'CUDA compiler: make resources, programs for the GPU'
  if root=$("$tools/setup/cuda-home.sh" 2>&1); then
    compiler=$("$root/bin/nvcc" --version |
      sed -n 's/.*release \([0-9.]*\).*/\1/p')
    here "nvcc $compiler" "$root"
    return
  fi
  lacks 'nvcc' 'make resources, programs for the GPU'
  say "$root"
  root=
  missing="$missing nvcc"
  [ ! -x /usr/local/cuda/bin/nvcc ] ||
    say "CUDA_HOME=/usr/local/cuda would select the nvcc that lies there."
}

# The first GPU: its name, whether kernels run on it, and the driver's age.
first_gpu() {
  if ! command -v nvidia-smi >/dev/null; then
    lacks 'NVIDIA GPU' 'timings; counters of the executor stand in'
    return
  fi
  if ! answer=$(nvidia-smi --query-gpu=name,compute_cap,driver_version \
    --format=csv,noheader 2>&1) || [ -z "$answer" ]; then
    lacks 'NVIDIA GPU' 'timings; nvidia-smi is here, but fails:'
    say "$(echo "$answer" | head -n 2)"
    return
  fi
  IFS=, read -r name capability driver <<ANSWER
$(echo "$answer" | head -n 1 | sed 's/, */,/g')
ANSWER
  here "$name" "compute capability $capability, driver $driver"
  gpu="$name"
  case $capability in
  [89].* | [1-9][0-9].*) ;;
  *)
    say "Its compute capability is under 8.0: the kernels do not run on it."
    gpu= ;;
  esac
  # The oldest driver for each major version of CUDA.
  case ${compiler%%.*} in
  12) first=525 ;;
  13) first=580 ;;
  *) return ;;
  esac
  [ "${driver%%.*}" -ge $first ] || {
    say "Driver $driver is older than CUDA $compiler, which needs driver" \
      "$first or newer: update the driver, or set CUDA_HOME to a toolkit of" \
      "CUDA 12 ($(sed -n 's/^oldest cuda //p' "$pins") or newer)."
    gpu=
  }
}

# tool NAME PURPOSE: a program of the full toolkit
tool() {
  if program=$(command -v "$1"); then
    here "$1" "$program"
    return
  fi
  lacks "$1" "$2"
  [ ! -x "$root/bin/$1" ] || say "It lies in $root/bin: put that on the PATH."
  return 1
}

# The driver may keep the GPU's counters for administrators: root outside a
# container, or whoever has CAP_SYS_ADMIN, which is bit 21.
may_count() {
  grep -q 'RmProfilingAdminOnly: 1' "$proc/driver/nvidia/params" 2>/dev/null ||
    return 0
  rights=$(sed -n 's/^CapEff:[^0-9a-f]*//p' "$proc/self/status")
  [ $((0x${rights:-0} >> 21 & 1)) -eq 1 ]
}

profilers() {
  ! tool ncu "make profile: the GPU's own counters" || may_count ||
    say "This user may not read the GPU's counters. An administrator allows" \
      "it with the module option NVreg_RestrictProfilingToAdminUsers=0."
  tool compute-sanitizer 'make race on the GPU itself'
}

# shellcheck disable=SC2317 # fetched calls these two
pandoc_version() {
  "$tools/setup/pandoc.sh" --version | sed -n '1s/pandoc //p'
}

# Its folder, or that it is where the system has it.
# shellcheck disable=SC2317
nccl_version() {
  place=$("$tools/setup/nccl-home.sh") && echo "${place:-/usr}"
}

# shellcheck disable=SC2317
aarch64_folder() { ! aarch64_here || echo "${tools%/*}/.deps/aarch64"; }

# shellcheck disable=SC2317
tests_version() {
  environment_here tests && pip_pins tests | sed -n 's/^pytest==//p'
}

report() {
  heading 'CPU executor: make check, bench, count, race'
  group core
  toolkit
  heading 'GPU: timings'
  first_gpu
  heading 'Profilers: they come with the full CUDA toolkit'
  profilers
  heading 'Book: make book'
  fetched pandoc "the book's pages" pandoc_version || book_complete=
  group book
  heading 'Tests: make check-all skips what it cannot run'
  group tests
  [ -z "$compiler" ] || fetched nvdisasm \
    'what the chapters say of machine code' "$tools/setup/disassembler.sh"
  fetched pytest 'the tests, the book in a browser' tests_version
}

# What is installed only when asked for is not missing.
on_request() {
  kept=$missing
  heading 'Cluster: make stage18, on several ranks (tools/setup/setup.sh cluster)'
  group cluster
  [ -z "$compiler" ] || fetched NCCL 'ranks on GPUs' nccl_version
  heading 'aarch64: the executor, emulated (tools/setup/setup.sh aarch64)'
  group aarch64
  fetched 'its libraries' 'the executor for aarch64' aarch64_folder
  missing=$kept
}

brief() {
  report
  line=
  [ -z "$core_complete" ] || line="the CPU executor (gates, counters, races)"
  [ -z "$compiler" ] || line="${line:+$line, }nvcc $compiler"
  [ -z "$gpu" ] || line="${line:+$line, }$gpu (timings)"
  [ -n "$gpu" ] || line="${line:-nothing yet}; no usable GPU, so no timings"
  # shellcheck disable=SC2086 # one word each
  set -- $missing
  many=
  [ $# -le 6 ] || many=" and $(($# - 6)) more" missing=" $1 $2 $3 $4 $5 $6"
  printf '%s\n' "Here: $line." | fold -s -w 80
  [ -z "$missing" ] ||
    printf '%s\n' \
      "Missing:$missing$many. 'make setup' installs, 'make doctor' explains." |
      fold -s -w 80
}

# What labs are made of and graded with: the executor, unifdef and Python.
words() {
  report
  labs=$core_complete
  case " $missing " in *' unifdef '* | *' python3 '*) labs= ;; esac
  printf '%s\n' "executor $core_complete" "labs $labs" "book $book_complete" \
    "nvcc $compiler" "gpu $gpu" "missing$missing"
}

# In one line, what this machine can do now.
can_do() {
  can=
  [ -z "$core_complete" ] || can="gates, counters, races"
  [ -z "$compiler" ] || can="${can:+$can; }machine code"
  [ -z "$book_complete" ] || can="${can:+$can; }the book"
  if [ -n "$core_complete" ] && [ -n "$compiler" ] && [ -n "$gpu" ]; then
    can="$can; timings"
  else
    can="${can:-nothing yet}; no timings"
  fi
  echo "This machine can do: $can."
}

case $#${1:-} in
1--brief) brief | sed 's/ *$//' | head -n 4; exit 0 ;;
1--words) words | sed 's/ *$//'; exit 0 ;;
0) ;;
*) echo "doctor.sh takes --brief, --words or nothing." >&2; exit 2 ;;
esac
report
on_request
can_do
echo "${text#?}"
echo
[ -z "$missing" ] || echo "'make setup' installs what is missing."
[ -n "$core_complete" ] || exit 3
echo "All that the CPU executor needs is here."
