#!/bin/sh
# Every kind of mistake stops the book, with its file and line, and leaves the
# last good book in place.
set -u
. "$(dirname "$0")/tap.sh"
plant errors
