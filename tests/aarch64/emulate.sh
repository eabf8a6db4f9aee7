#!/bin/sh
# Runs a program for aarch64 on this machine:  emulate.sh PROGRAM ARG...
#   emulate.sh --lacks   says in a sentence what that lacks here, or nothing
# The emulator is named, not left to the kernel: only root can tell it that.
if [ "$1" = --lacks ]; then
  [ "$(uname -m)" != aarch64 ] || {
    echo "this machine is one: the executor's own tests are for it"
    exit
  }
  command -v aarch64-linux-gnu-g++ >/dev/null &&
    command -v qemu-aarch64-static >/dev/null && [ -e .deps/aarch64/stamp ] ||
    echo "its compiler and emulator: tools/setup/setup.sh aarch64"
  exit
fi
root=.deps/aarch64
compiler=/usr/aarch64-linux-gnu
libraries=$compiler/lib:$root/usr/lib/aarch64-linux-gnu
exec qemu-aarch64-static -L "$compiler" \
  -E LD_LIBRARY_PATH="$libraries:$root/lib/aarch64-linux-gnu" "$@"
