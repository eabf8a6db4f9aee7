#!/bin/sh
# Stands in for the real tool: any change of the file counts.
[ ! -d "further/$1" ] || cd further || exit
cat "$1"/*.cu | sha256sum | cut -d ' ' -f 1
