#!/bin/sh
# The cross compiler, with the libraries that `tools/setup/setup.sh aarch64` has
# unpacked:  compile.sh gcc|g++ ARG...
# The paths are relative, as ccache wants them in each copy of the tree: call it
# in the tree's own folder.
compiler=aarch64-linux-gnu-$1
shift
root=.deps/aarch64
libraries=$root/usr/lib/aarch64-linux-gnu
export CPATH="$root/usr/include:$root/usr/include/aarch64-linux-gnu"
exec "$compiler" -L"$libraries" \
  -Wl,-rpath-link,"$libraries:$root/lib/aarch64-linux-gnu" "$@"
