#!/bin/sh
# Every barrier, wait, arrival, fence and commit of a kernel, removed alone:
#   remove.sh [STAGE...]     tries them all and prints removed.list (minutes), or
#                            its lines for these stages
#   remove.sh places STAGE   the lines that hold one: NUMBER|TEXT
# A line of removed.list: STAGE|WHICH OF|THIS LINE|ARM|what the executor says of
# the kernel without it, or "redundant", and then by hand why.
set -eu
. tests/lib.sh

# A ring of stage 7 holds four tiles of 128 keys, and with 600 they are more. With
# eight heads a block has several tiles of queries, with 97 keys in one step each.
shapes_of() {
  case $1 in
  stage7_*) echo "small 1,1,97,64 1,2,230,64 1,2,600,64 1,8,97,64" ;;
  *) echo "small 1,1,97,64 1,2,230,64" ;;
  esac
}

# A whole statement, alone or behind an if, so that a ; may take its place; on
# two lines perhaps.
places() {
  awk '{ text = $0; sub(/ +\/\/.*/, "", text); sub(/^ */, "", text) }
  text ~ /^[a-z_]+\([^;]*,$/ { begun = text " "; line = NR; next }
  { text = begun text; if (begun == "") line = NR; begun = "" }
  text ~ /^(if \(.*\) )?(__sync(threads|warp)|__pipeline_(commit|wait_prior)|named_barrier_(sync|arrive)|mbarrier_(init|arrive|arrive_expecting|wait)|fence_async_proxy|wgmma_(fence|commit|wait<[0-9]>)|release|(await|pass)_turn|(say|wait)_[a-z]+)\(.*\);$/ {
    print line "|" text }' "$1/kernel.cu"
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

# arm_of STAGE NUMBER TEXT: the first arm that compiles that line, and in which
# it does something
arm_of() {
  case $3 in
  *_turn\(* | *PING_PONG* | *"1 + to "*) needs=,USE_PING_PONG=1, ;;
  *"128 * KEY_GROUPS"*) needs=,USE_SPLIT_KEYS=2, ;;
  *) needs=, ;;
  esac
  sed "$2s/.*/this_line_is_compiled/" "$1/kernel.cu" >"$copy/marked.cu"
  for arm in $(arms "$1"); do
    case ,$arm, in *"$needs"*) ;; *) continue ;; esac
    define=
    [ "$arm" = default ] || define=-D$(echo "$arm" | sed 's/,/ -D/g')
    # shellcheck disable=SC2086 # no define is no word
    if g++ -E -x c++ -std=c++17 -I. -Icommon/simt/include \
      -Ibuild/simt-include -isystem "$include" \
      -include common/simt/include/simt_prelude.h $define \
      "$copy/marked.cu" 2>/dev/null | grep -q this_line_is_compiled; then
      echo "$arm"
      return
    fi
  done
  echo none
}

# What the checks say: every kind of finding, each once.
findings() {
  sed -n 's/^\([a-z][a-z -]*\): .*/\1/p' "$1" | grep -v '^make\|^small\|findings' |
    sort -u | paste -s -d , | sed 's/,/, /g'
}

try() {
  stage=$1 number=$2 text=$3 which=$4
  arm=$(arm_of "$stage" "$number" "$text")
  said="in no arm"
  if [ "$arm" != none ]; then
    toggle=
    [ "$arm" = default ] || toggle=$(echo "$arm" | tr , ' ')
    sed "${number}{/,\$/N;s/[a-z_]*\(<[0-9]>\)*([^()]*\(([^()]*)[^()]*\)*);\( *\/\/.*\)*\$/;/;}" \
      "$stage/kernel.cu" >"$copy/$stage/kernel.cu"
    # shellcheck disable=SC2086 # no toggle is no word
    if (cd "$copy" && make "$stage" race TARGET=cpu $toggle \
      SHAPES="$(shapes_of "$stage")") >"$copy/log" 2>&1 </dev/null; then
      said=redundant
    else
      said=$(findings "$copy/log")
    fi
    cp "$stage/kernel.cu" "$copy/$stage/kernel.cu"
  fi
  echo "$stage|$which|$text|$arm|${said:-$(tail -n 3 "$copy/log")}"
}

case ${1:-} in
places) places "$2"; exit ;;
esac
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
include=$(tools/setup/cuda-home.sh --headers)
copy_tree "$copy"
[ $# -gt 0 ] || {
  set -- stage[0-9]*_*
  echo "# $0: each barrier, wait, arrival, fence and commit removed alone."
}
for stage in "$@"; do
  echo "# kernel $stage $(tools/results/kernel-hash.sh "$stage")"
  places "$stage" | while IFS='|' read -r number text; do
    first=$(sed -n "${number}{s/^ *//;s, *//.*,,;p;}" "$stage/kernel.cu")
    which=$(head -n "$number" "$stage/kernel.cu" | grep -cF -- "$first")
    try "$stage" "$number" "$text" "$which"
  done
done
