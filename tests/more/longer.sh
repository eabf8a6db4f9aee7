#!/bin/sh
# What `make check-more` runs: what takes longer, and what check-all only draws
# from, a path a line.
printf '%s\n' tests/more/*.more.* tests/races/planted.test.lua \
  tests/races/orders.test.lua tests/fooled/fooled.test.lua \
  tests/machine-code/machine-code.test.sh tests/goals/gates.test.lua \
  tests/tools/phases.test.lua
