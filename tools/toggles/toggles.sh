#!/bin/sh
# Runs the program that reads toggles and spells arms (toggles.c says how), and
# builds it where that is missing or old.
root=$(dirname "$0")/../..
command -v "${CC:=gcc}" >/dev/null || {
  echo "Reading toggles takes a C compiler: 'make setup' installs one." >&2
  exit 3
}
env -u MAKEFLAGS -u MFLAGS make -s -C "$root" -f tools/toggles/toggles.mk \
  CC="$CC" build/tools/toggles >&2 && exec "$root/build/tools/toggles" "$@"
