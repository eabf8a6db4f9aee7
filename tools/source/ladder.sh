#!/bin/sh
# Prints the names of the ladder's stages, by number. A stage of another kind
# has rules of its own, in its stage.mk, and is no step of it.
for stage in stage[0-9]*_* further/stage[0-9]*_*; do
  [ ! -d "$stage" ] || [ -e "$stage/stage.mk" ] || echo "${stage#further/}"
done | sort -V
