#!/bin/sh
# Mistakes in figures that are drawn from results, and in the cover.
set -u
# shellcheck source=tests/book/tap.sh
. "$(dirname "$0")/tap.sh"
plant figures
