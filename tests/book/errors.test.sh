#!/bin/sh
# Every kind of mistake stops the book, with its file and line, and leaves the
# last good book in place.
# takes: 20 s
set -u
# shellcheck source=tests/book/tap.sh
. "$(dirname "$0")/tap.sh"
plant errors
