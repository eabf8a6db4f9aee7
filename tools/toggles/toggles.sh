#!/bin/sh
# The toggles of one stage, as its kernel.cu declares them.
#   toggles.sh list STAGE                one line a toggle: NAME DEFAULT VALUES...
#   toggles.sh others STAGE              one line a setting that is no default:
#                                        NAME=VALUE
#   toggles.sh layer STAGE               one line a toggle: NAME LAYER, which is
#                                        structure, or what stands in brackets
#                                        after the values: detail
#   toggles.sh allowed STAGE [NAME=VALUE...]  exit 1 with the kernel's own
#                                        #error, if it rules that out
#   toggles.sh arm STAGE [NAME=VALUE...] the name of that arm: "default", or
#                                        what differs from it: A-0.B-1
# Exit 2, with one sentence, on a toggle or a value that the stage does not know.
set -eu

fail() {
  echo "$1" >&2
  exit 2
}

list() {
  awk '$1 == "//" && $2 == "toggle" {
         name = $3; sub(":", "", name); values = ""
         for (i = 4; i <= NF && $i !~ /^\(/; i++) values = values " " $i }
       $1 == "#define" && $2 == name && name { print name, $3 values; name = "" }' \
    "$1/kernel.cu"
}

others() {
  list "$1" | awk '{ for (i = 3; i <= NF; i++)
                       if ($i != $2) print $1 "=" $i }'
}

layer() {
  awk '$1 == "//" && $2 == "toggle" {
         layer = "structure"; sub(":", "", $3)
         if (match($0, /\([a-z]+\)$/))
           layer = substr($0, RSTART + 1, RLENGTH - 2)
         print $3, layer }' "$1/kernel.cu"
}

# The kernel's own #if and #error, without what it includes.
allowed() {
  kernel=$1/kernel.cu
  shift
  for setting in "$@"; do
    shift
    set -- "$@" "-D$setting"
  done
  said=$(sed 's/^#include.*//' "$kernel" |
    "${CXX:-g++}" -E -x c++ "$@" - 2>&1 >/dev/null) && return
  echo "$said" | sed -n 's/.*#error *"\(.*\)".*/\1/p' >&2
  return 1
}

[ $# -ge 2 ] ||
  fail "usage: toggles.sh list|others|layer|allowed|arm STAGE [NAME=VALUE...]"
verb=$1 stage=$2
shift 2
[ -f "$stage/kernel.cu" ] || fail "There is no kernel in '$stage'."
known=$(list "$stage")

case $verb in
list)
  [ -z "$known" ] || echo "$known"
  ;;
others) others "$stage" ;;
layer) layer "$stage" ;;
allowed) allowed "$stage" "$@" ;;
arm)
  for setting in "$@"; do
    name=${setting%%=*} value=${setting#*=}
    line=$(echo "$known" | awk -v name="$name" '$1 == name')
    if [ -z "$line" ]; then
      names=$(echo "$known" | awk 'NF { printf " %s", $1 }')
      fail "$stage has no toggle '$name'; it has:${names:- none}."
    fi
    values=$(echo "$line" | cut -d ' ' -f 3-)
    case " $values " in
    *" $value "*) [ -n "$value" ] && continue ;;
    esac
    fail "$name of $stage cannot be '$value'; it can be: $values."
  done
  value=
  arm=$(echo "$known" | while read -r name default _; do
    for setting in "$@"; do
      [ "${setting%%=*}" = "$name" ] && value=${setting#*=}
    done
    [ "${value:-$default}" = "$default" ] || printf '.%s-%s' "$name" "$value"
    value=
  done)
  arm=${arm#.}
  echo "${arm:-default}"
  ;;
*) fail "toggles.sh knows list, others, layer, allowed and arm, not '$verb'." ;;
esac
