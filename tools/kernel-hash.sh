#!/bin/sh
# SHA-256 of a stage's kernel: kernel.cu and the device headers that it
# includes, without comments and white space. Editing a comment keeps a recorded
# result valid; editing code does not.
set -eu
stage=${1:?usage: kernel-hash.sh STAGE}
if [ ! -f "$stage/kernel.cu" ]; then
  echo "There is no kernel in '$stage'." >&2
  exit 2
fi
headers=$(sed -n 's/^#include "\(common\/device\/[^"]*\)".*/\1/p' \
  "$stage/kernel.cu")
for file in "$stage/kernel.cu" $headers; do
  "${CXX:-g++}" -x c++ -fpreprocessed -dD -E -P -w "$file"
done | tr -d ' \t\n' | sha256sum | cut -d ' ' -f 1
