#!/bin/sh
# Every barrier, wait, arrival, fence and commit of a kernel, removed alone:
#   remove.sh [STAGE...]   tries them all and prints removed.list (minutes), or
#                          its lines for these stages
#   remove.sh STAGE PLACE  tries one of them and prints its line
# A line of removed.list: STAGE|PLACE|ARM|what the executor says of the kernel
# without it, or "redundant: " and then by hand why. Arm and reason are taken
# from the list as it is: where the first arm that compiles a place does nothing
# there, another can be written in.
set -eu
. tests/lib.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
list=tests/races/removed.list
plant=$PWD/build/tests/plant

# A ring of stage 7 holds four tiles of 128 keys, and with 600 they are more. With
# eight heads a block has several tiles of queries, with 97 keys in one step each.
shapes_of() {
  case $1 in
  stage7_*) echo "small 1,1,97,64 1,2,230,64 1,2,600,64 1,8,97,64" ;;
  *) echo "small 1,1,97,64 1,2,230,64" ;;
  esac
}

# other STAGE: each setting that is not the default, and not for printing
other() {
  tools/toggles/toggles.sh others "$1" | grep -v '^DEBUG_PRINT='
}

# The arms in which a line may be compiled: the default first, then what the
# kernel allows of single settings, and of pairs.
arms() {
  echo default
  other "$1" | while read -r one; do
    ! tools/toggles/toggles.sh allowed "$1" "$one" 2>/dev/null || echo "$one"
  done
  other "$1" | while read -r one; do
    other "$1" | while read -r two; do
      [ "${one%%=*}" = "${two%%=*}" ] ||
        ! tools/toggles/toggles.sh allowed "$1" "$one" "$two" 2>/dev/null ||
        echo "$one,$two"
    done
  done
}

# listed STAGE PLACE FIELD: what the list says of it now
listed() {
  STAGE=$1 PLACE=$2 awk -F '|' -v field="$3" '
    $1 == ENVIRON["STAGE"] && $2 == ENVIRON["PLACE"] { print $field }' $list
}

# first_that_compiles ARM...: of the arms, the first in which the place is left
first_that_compiles() {
  for arm in "$@"; do
    define=
    [ "$arm" = default ] || define=-D$(echo "$arm" | sed 's/,/ -D/g')
    # shellcheck disable=SC2086 # no define is no word
    if g++ -E -x c++ -std=c++17 -I. -Icommon/simt/include \
      -Ibuild/simt-include -isystem "$include" \
      -include common/simt/include/simt_prelude.h $define \
      "$copy/marked.cu" 2>/dev/null | grep -q this_place_is_compiled; then
      echo "$arm"
      return
    fi
  done
  return 1
}

# arm_of STAGE PLACE: the arm of the list, or else the first that compiles it.
# All arms take a while to list.
arm_of() {
  "$plant" edit "$1/kernel.cu" "$2" 'write this_place_is_compiled;' \
    >"$copy/marked.cu"
  # shellcheck disable=SC2046 # arms are words
  first_that_compiles $(listed "$1" "$2" 3) ||
    first_that_compiles $(arms "$1") || echo none
}

# What the checks say: every kind of finding, each once.
findings() {
  sed -n 's/^\([a-z][a-z -]*\): .*/\1/p' "$1" | grep -v '^make\|^small\|findings' |
    sort -u | paste -s -d , | sed 's/,/, /g'
}

try() {
  stage=$1 place=$2
  arm=$(arm_of "$stage" "$place")
  said="in no arm"
  if [ "$arm" != none ]; then
    toggle=
    [ "$arm" = default ] || toggle=$(echo "$arm" | tr , ' ')
    "$plant" edit "$stage/kernel.cu" "$place" empty >"$copy/$stage/kernel.cu"
    # shellcheck disable=SC2086 # no toggle is no word
    if (cd "$copy" && make "$stage" race TARGET=cpu $toggle \
      SHAPES="$(shapes_of "$stage")") >"$copy/log" 2>&1 </dev/null; then
      said=$(listed "$stage" "$place" 4 | grep '^redundant: ') || said=redundant
    else
      said=$(findings "$copy/log")
    fi
    cp "$stage/kernel.cu" "$copy/$stage/kernel.cu"
  fi
  echo "$stage|$place|$arm|${said:-$(tail -n 3 "$copy/log")}"
}

make -s build/tests/plant
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
include=$(tools/setup/cuda-home.sh --headers)
copy_tree "$copy"
if [ $# -eq 2 ] && [ ! -d "$2" ]; then
  try "$1" "$2"
  exit
fi
[ $# -gt 0 ] || {
  set -- stage[0-9]*_*
  echo "# $0: each barrier, wait, arrival, fence and commit removed alone."
}
for stage in "$@"; do
  echo "# kernel $stage $(tools/results/kernel-hash.sh "$stage")"
  "$plant" sites "$stage/kernel.cu" | while read -r place; do
    try "$stage" "$place"
  done
done
