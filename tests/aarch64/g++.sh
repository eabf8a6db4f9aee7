#!/bin/sh
# For make: CC=tests/aarch64/gcc.sh CXX=tests/aarch64/g++.sh
exec tests/aarch64/compile.sh g++ "$@"
