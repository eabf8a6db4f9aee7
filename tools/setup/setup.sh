#!/bin/sh
# Installs what is missing, as pins.conf names it, and nothing else:
#   setup.sh [--headers-only]
#            [core|book|tests|peers|model|cluster|aarch64]...
# OFFLINE in the environment: a folder that downloads.sh has filled, and from
# which all of it is taken.
# Debian packages by apt-get when root, else it prints the line to hand to an
# administrator. Where there is no CUDA toolkit that is new enough, NVIDIA's
# wheels go to .deps/cuda (toolkit.sh); the book's pandoc goes to .deps, too.
# First comes what `make stage1 bench` needs, then the book's and the tests'
# packages.
# Only when asked for come peers, PyTorch, cuDNN's frontend and
# FlashAttention-3 for `make peers`; model, that of
# `make tensors`; cluster, OpenMPI and NCCL for stage18_ring; and aarch64, with
# which tests/aarch64 tries the executor for that processor.
# Exit: 0 all that was asked for is here (with nothing asked: core); 1 a step
# failed; 2 usage; 3 something needs other hands.
set -u
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup/present.sh
. "$tools/setup/present.sh"
# shellcheck source=tools/setup/toolkit.sh
. "$tools/setup/toolkit.sh"
# shellcheck source=tools/setup/offline.sh
. "$tools/setup/offline.sh"
# shellcheck source=tools/setup/aarch64.sh
. "$tools/setup/aarch64.sh"
deps=${tools%/*}/.deps
log=$deps/setup.log
child='' did='' line=''

# make cannot build in such a path either (tools/make/__main__.py).
case $deps in
*[][[:blank:]\'\"\`\\\;\&\|\<\>\(\)\{\}\*\?\$\#:%=]*)
  stop 3 "Setup cannot work in '${deps%/*}': move the tree to a path without" \
    "blanks and signs like ' or ;." ;;
esac

# A tree from a zip file has lost its executable bits.
[ -x "$tools/setup/ready.sh" ] ||
  find "${tools%/*}" \( -name build -o -name .git -o -name .deps \) -prune \
    -o -type f -print | while IFS= read -r file; do
    read -r first <"$file"
    case $first in '#!'*) chmod +x "$file" ;; esac
  done 2>/dev/null
sh "$tools/setup/ready.sh" .deps || exit 3

# step SENTENCE COMMAND...: its output goes to the log; a terminal sees seconds
step() {
  sentence=$1 started=$(date +%s) did=yes
  shift
  [ -t 1 ] || echo "$sentence"
  "$@" >"$log" 2>&1 &
  child=$!
  while [ -t 1 ] && kill -0 "$child" 2>/dev/null; do
    printf '\r%s: %d s ' "$sentence" $(($(date +%s) - started))
    sleep 1
  done
  wait "$child"
  code=$?
  child=''
  [ ! -t 1 ] || echo
  [ $code -eq 0 ] || why >&2
  return $code
}

# Why the last step failed, from its log.
why() {
  if grep -qE 'No space left|Errno 28|enough free space' "$log"; then
    cause="the disk is full"
  elif grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    cause="what came is not the file that is pinned, and was not taken"
  elif [ -n "${OFFLINE:-}" ] && grep -qE "No matching distribution|\
Unable to locate|no installation candidate|Failed to fetch" "$log"; then
    cause="'$OFFLINE' does not hold it; 'make downloads' adds what it lacks"
  elif grep -qE "No matching distribution|Max retries|resol[uv]|onnection|\
timed out|unreachable|Failed to fetch" "$log"; then
    cause="the network did not answer; check the connection and the proxy"
  elif grep -qE 'Unable to locate|no installation candidate' "$log"; then
    cause="apt's lists do not have them: no network, or a source is not enabled"
  else
    cause=$(grep . "$log" | tail -n 1)
  fi
  cp "$log" "$deps/failed.log"
  echo "This failed: $cause. Run setup again and it goes on from here" \
    "(log: .deps/failed.log)."
}

# ---- Debian packages --------------------------------------------------------

# missing_packages GROUP: those that are not here, or are too old
missing_packages() {
  apt_lines "$1" | while read -r package _ oldest probe _; do
    present "$probe" "$oldest" </dev/null || echo "$package"
  done
}

# shellcheck disable=SC2317 # step calls it
apt() {
  # A program that apt starts must not keep this script's lock.
  # shellcheck disable=SC2086 # options, or none
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
    $apt_from "$@" 9>&-
}

# A source that fails may be one that nothing is taken from: go on without.
# shellcheck disable=SC2317 # step calls it
read_lists() {
  apt update || echo "the lists could not all be read"
}

# known PACKAGE...: those that apt's lists here hold; all where it has no lists
known() {
  for package in "$@"; do
    # shellcheck disable=SC2086
    apt-cache $apt_from policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' &&
      echo "$package"
  done
}

# install_packages GROUP
install_packages() {
  wanted=$(missing_packages "$1") its=$1
  [ -n "$wanted" ] || return 0
  if ! command -v apt-get >/dev/null; then
    line="$line $(echo "$wanted" | tr '\n' ' ')"
    return
  fi
  if [ "$(id -u)" -eq 0 ] && [ -z "${lists_read:-}" ]; then
    step 'Reading the lists of Debian packages' read_lists
    lists_read=yes
  fi
  # shellcheck disable=SC2086 # one package a word
  offered=$(known $wanted)
  # shellcheck disable=SC2086
  set -- ${offered:-$wanted}
  if [ "$(id -u)" -ne 0 ]; then
    line="$line $*"
  else
    step "Installing Debian packages ($its): $*" \
      apt install --no-install-recommends "$@"
  fi
}

hand_over() {
  [ -n "$line" ] || return 0
  # shellcheck disable=SC2086 # without double blanks
  set -- $line
  if command -v apt-get >/dev/null; then
    echo 'Hand these lines to an administrator, and then run setup again:'
    # shellcheck disable=SC2086 # options, or none
    echo "  sudo apt-get" $apt_from update
    # shellcheck disable=SC2086
    echo "  sudo apt-get" $apt_from "install -y --no-install-recommends $*"
  else
    echo 'There is no apt-get here. Install what these Debian packages hold:'
    echo "  $*"
  fi
}

# ---- all of it --------------------------------------------------------------

headers_only='' groups=''
for word in "$@"; do
  if [ "$word" = --headers-only ]; then
    headers_only=yes
  elif is_group "$word"; then
    groups="$groups $word"
  else
    stop 2 "setup.sh takes --headers-only, core, book, tests, peers, model," \
      "cluster, aarch64; not '$word'."
  fi
done
asked=${groups:-core} groups=${groups:-core book tests}

{ mkdir -p "$deps" && exec 9>>"$deps/setup.lock"; } 2>/dev/null ||
  stop 1 "$deps cannot be written."
flock -n 9 || {
  echo 'Another setup runs in this tree: waiting for it.'
  flock 9
}
[ -z "${OFFLINE:-}" ] || use_offline || exit

# end PID: it and all that it has started
# shellcheck disable=SC2317 # the trap calls it
end() {
  # shellcheck disable=SC2013 # words
  for started in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
    end "$started"
  done
  kill "$1" 2>/dev/null
}
trap '[ -z "$child" ] || end "$child"; echo; exit 130' INT TERM HUP

failed=''
for group in $groups; do
  install_packages "$group" || failed="$failed $group"
  case $group in
  core) install_toolkit ;;
  book) install_wheel pandoc pandoc "The book's pandoc" ;;
  tests) install_for_tests ;;
  peers) install_environment peers 'PyTorch for make peers' '3 GB' &&
    install_wheel fa3 FlashAttention-3 FlashAttention-3 ;;
  model) install_environment model 'make tensors' '105 MB' --no-deps ;;
  cluster) install_wheel nccl NCCL NCCL ;;
  aarch64) install_aarch64 ;;
  esac || failed="$failed $group"
done
hand_over

code=0 all_here='Everything is here.'
for group in $groups; do
  lacking=$(missing_packages "$group" | tr '\n' ' ')
  case $group in
  core) toolkit_here || lacking="${lacking}CUDA-toolkit " ;;
  book) pandoc_here || lacking="${lacking}pandoc " ;;
  tests)
    disassembler_here || lacking="${lacking}nvdisasm "
    environment_here tests || lacking="${lacking}pytest " ;;
  peers)
    environment_here peers || lacking="${lacking}PyTorch "
    fa3_here || lacking="${lacking}FlashAttention-3 " ;;
  model) environment_here model || lacking="${lacking}model " ;;
  cluster) nccl_here || lacking="${lacking}NCCL " ;;
  aarch64) aarch64_here || lacking="${lacking}libraries-for-aarch64 " ;;
  esac
  [ -n "$lacking" ] || continue
  all_here=''
  echo "Missing or too old for $group: ${lacking% }"
  case " $asked " in
  *" $group "*) code=3; case $failed in *$group*) code=1 ;; esac ;;
  esac
done
[ -z "$did$all_here" ] || [ $code -ne 0 ] ||
  echo "${all_here:-Done.}"
exit $code
