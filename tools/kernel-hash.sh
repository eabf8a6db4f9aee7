#!/bin/sh
# SHA-256 of a stage's kernel: kernel.cu and the device headers that it
# includes, without comments and white space. Editing a comment keeps a recorded
# result valid; editing code does not. Of a folder with several kernels, as
# floor: of all of them, and of their headers there.
set -eu
stage=${1:?usage: kernel-hash.sh STAGE}
if ! ls "$stage"/*.cu >/dev/null 2>&1; then
  echo "There is no kernel in '$stage'." >&2
  exit 2
fi
headers_of() {
  sed -n 's/^#include "\(\(common\/device\|floor\)\/[^"]*\)".*/\1/p' "$@" |
    awk '!seen[$0]++'
}
headers=$(headers_of "$stage"/*.cu)
# shellcheck disable=SC2086 # names without blanks
[ "$stage" != floor ] || headers="$headers $(headers_of floor/*.cuh)"
for file in "$stage"/*.cu $headers; do
  "${CXX:-g++}" -x c++ -fpreprocessed -dD -E -P -w "$file"
done | tr -d ' \t\n' | sha256sum | cut -d ' ' -f 1
