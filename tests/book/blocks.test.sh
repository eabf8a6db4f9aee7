#!/bin/sh
# Mistakes in listings with two columns and in widgets.
set -u
. "$(dirname "$0")/tap.sh"
plant blocks
