#!/bin/sh
# Prints the stages of the ladder, by number. A stage of another kind has rules
# of its own, in its stage.mk, and is no step of it.
printf '%s\n' stage[0-9]*_* | sort -V | while read -r stage; do
  [ ! -d "$stage" ] || [ -e "$stage/stage.mk" ] || echo "$stage"
done
