#!/bin/sh
# Runs tests and adds them up; tests/runner/run.c says how.
#   [JOBS=1] tests/run.sh PROGRAM [ARGUMENT]...
set -u
"${MAKE:-make}" -s LOCKED=1 build/tests/run || exit
exec build/tests/run "$@"
