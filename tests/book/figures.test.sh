#!/bin/sh
# Mistakes in figures that are drawn from results, and in the cover.
set -u
. "$(dirname "$0")/tap.sh"
plant figures
