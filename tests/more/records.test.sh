#!/bin/sh
# What `make check-more` found, a stage and a subject at a time: each record is of
# the files as they are now. A stale one is a skip; with RELEASE=1, a failure.
set -u
# shellcheck disable=SC2046 # one word a line
exec build/tests/run --look --records tests/more/records \
  $(tests/more/longer.sh)
