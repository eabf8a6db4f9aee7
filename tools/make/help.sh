#!/bin/sh
# What a bare `make` prints: ten lines on what can be run here.
set -eu
cat <<'TEXT'
make stage1 bench     gates, then timings (without a GPU: counters)
make stage1 check     the gates alone         make stage1 count   counts by line
make stage1 race      races, open copies      make stage1 resources, profile
make diff-stage1      what stage 1 changes    make stage5 tune, timeline
make book, make serve HTML, PDF and EPUB      make peers, floor   libraries, ceilings
make library, example the last stage for you  make setup, make doctor
make check-all        every check             make labs, lab2, lab2 grade   your own kernel
make race FILE=x.cu   races in a program of your own; also run, count
TEXT
if command -v python3 >/dev/null; then
  tools/doctor/doctor.py --brief
else
  echo "Missing: python3. 'make setup' installs it."
fi
