#!/bin/sh
# Prints the stages of the ladder, by number. A stage of another kind has rules
# of its own, in its stage.mk, and is no step of it.
ls -dv stage[0-9]*_* 2>/dev/null | while read -r stage; do
  [ -e "$stage/stage.mk" ] || echo "$stage"
done
