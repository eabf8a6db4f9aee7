#!/bin/sh
# make arithmetic: do the executor's tensor cores leave the bits of a GPU's?
#   arithmetic.sh gpu|cpu [FOLDER]    where the JSON goes, build/arithmetic
set -eu
where=$1 folder=${2:-build/arithmetic}
tests=build/tests/arithmetic sample=tests/arithmetic/sample.txt
mkdir -p build/arithmetic
"$tests/run" build/arithmetic/executor
if [ "$where" = gpu ]; then
  "$tests/run-gpu" build/arithmetic/gpu
  "$tests/compare" --record build/arithmetic/gpu >build/arithmetic/sample.txt
  "$tests/compare" build/arithmetic/gpu build/arithmetic/executor "$folder"
elif [ -f $sample ]; then
  echo "No GPU of compute capability 9.0 was used: this compares with $sample."
  "$tests/compare" --sample $sample build/arithmetic/executor "$folder"
else
  echo "No GPU of compute capability 9.0 is here, and no sample of one is in" \
    "$sample yet." >&2
  exit 3
fi
