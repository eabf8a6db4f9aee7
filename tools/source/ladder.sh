#!/bin/sh
# Prints the names of the ladder's stages, by number. A stage of another kind
# has rules of its own, in its stage.mk, and is no step of it.
for kernel in stage[0-9]*_*/kernel.cu further/stage[0-9]*_*/kernel.cu; do
  stage=${kernel%/kernel.cu}
  [ ! -e "$kernel" ] || [ -e "$stage/stage.mk" ] || echo "${stage##*/}"
done | sort -V
