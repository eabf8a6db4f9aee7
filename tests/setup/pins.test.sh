#!/bin/sh
# The pins themselves: whole, and each program that they bring is used.
# shellcheck source=tests/setup/tap.sh
. "$(dirname "$0")/tap.sh"

pins=$source_tools/setup/pins.conf
kinds='command:|header:|file:/|clang:-|pip$'
# shellcheck disable=SC2317 # holds calls it
pins_are_whole() {
  awk -v kinds="^($kinds)" '
    $1 == "apt" && (NF < 7 || $6 !~ kinds) { print; bad = 1 }
    $1 == "wheel" && (NF != 5 || hashes % 2) { print; bad = 1 }
    $1 == "sha256" { hashes++; if (!(length($3) == 64)) bad = 1 }
    $1 == "pip" && NF < 5 { print; bad = 1 }
    $1 !~ /^(#.*|apt|wheel|sha256|oldest|pip|)$/ { print; bad = 1 }
    END { exit bad || !hashes || hashes % 2 }' "$pins"
}
holds 'each pin has all its fields, each wheel both hashes' pins_are_whole
# shellcheck disable=SC2317 # holds calls it
nothing_idle() {
  idle=''
  sed -n 's/^apt .* command:\([^ ]*\) .*/\1/p' "$pins" >"$scratch/programs"
  while read -r program; do
    grep -rqwF --exclude-dir=setup --exclude=setup.sh --exclude=pins.conf \
      -- "$program" "$source_tools" "$source_tools/../tests" \
      "$source_tools/../book" || idle="$idle $program"
  done <"$scratch/programs"
  said=$idle
  [ -z "$idle" ]
}
PATH=$system_path
holds 'each program that is installed is used' nothing_idle
finish
