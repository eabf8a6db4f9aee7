#!/bin/sh
# What a bare `make` prints: ten lines on what can be run here.
set -eu
cat <<'TEXT'
make stage1 bench     gates, then timings (without a GPU: counters)
make stage1 check     the gates alone         make stage1 count   counts by line
make stage1 race      races, open copies      make stage1 resources, profile
make diff-stage1      what stage 1 changes    make stage1 tune, make peers
make book, make serve the book as HTML        make check-all      every check
make setup            installs what lacks     make doctor         what is here
TEXT
tools/doctor.sh --brief
