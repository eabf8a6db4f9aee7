#!/bin/sh
# The lists of the back matter against what there is: each entry too few or too
# many stops the book.
set -u
# shellcheck source=tests/book/tap.sh
. "$(dirname "$0")/tap.sh"
plant back-matter
