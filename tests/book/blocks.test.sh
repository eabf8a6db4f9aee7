#!/bin/sh
# Mistakes in listings with two columns and in widgets.
set -u
# shellcheck source=tests/book/tap.sh
. "$(dirname "$0")/tap.sh"
plant blocks
