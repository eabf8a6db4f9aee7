#!/bin/sh
# The toggles of one stage, as its kernel.cu declares them.
#   toggles.sh list STAGE                one line a toggle: NAME DEFAULT VALUES...
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
         for (i = 4; i <= NF; i++) values = values " " $i }
       $1 == "#define" && $2 == name && name { print name, $3 values; name = "" }' \
    "$1/kernel.cu"
}

[ $# -ge 2 ] || fail "usage: toggles.sh list|arm STAGE [NAME=VALUE...]"
verb=$1 stage=$2
shift 2
[ -f "$stage/kernel.cu" ] || fail "There is no kernel in '$stage'."
known=$(list "$stage")

case $verb in
list)
  [ -z "$known" ] || echo "$known"
  ;;
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
*) fail "toggles.sh knows list and arm, not '$verb'." ;;
esac
