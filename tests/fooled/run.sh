#!/bin/sh
# Runs experiments on mistakes:  run.sh NAME|'' ALL-NAMES...
set -u
wanted=$1
shift
case " $* " in
*" ${wanted:-$1} "*) ;;
*)
  echo "There is no experiment '$wanted'; there are: $*." >&2
  exit 2
  ;;
esac
[ -z "$wanted" ] || exec "tests/fooled/experiments/$wanted.sh"
status=0
for name in "$@"; do
  echo "--- $name"
  "tests/fooled/experiments/$name.sh"
  code=$?
  [ $status -ne 0 ] || [ $code -eq 3 ] || status=$code
done
exit $status
