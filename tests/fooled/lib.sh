# shellcheck shell=sh
# What the experiments share. Each plants a mistake in a copy of the tree and
# shows what a check of this repository says; it begins with
#   . tests/fooled/lib.sh
# and ends with `verdict`.
. tests/lib.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
here=$PWD
said=$(mktemp)
scratch=$(mktemp -d)
trap 'rm -rf "$said" "$scratch"' EXIT
surprises=0
# The recorded run that the book cites.
# shellcheck disable=SC2034
recorded=$(sed -n 's/^results: //p' chapters/book.yaml)

in_a_copy() {
  copy_tree "$scratch/tree"
  cd "$scratch/tree" || exit 3
}

# cannot WHAT: this machine lacks what the experiment needs.
cannot() {
  echo "$1: 'make setup' installs it." >&2
  exit 3
}

# planted FILE: it becomes what is in $said, and the difference is shown
planted() {
  echo "planted in $1:"
  diff "$1" "$said" | sed -n 's/^< */  - /p; s/^> */  + /p'
  cp "$said" "$1"
}

# plant FILE PLACE EDIT: as tools/source has them
plant() {
  "$here/build/tests/plant" edit "$1" "$2" "$3" >"$said" 2>&1 || {
    echo "SURPRISE: $(cat "$said")"
    exit 1
  }
  planted "$1"
}

# set_number FILE KEY NUMBER: in JSON
set_number() {
  [ "$(grep -c "\"$2\": " "$1")" -eq 1 ] || {
    echo "SURPRISE: $1 does not have one $2"
    exit 1
  }
  sed "s/\"$2\": [0-9.]*/\"$2\": $3/" "$1" >"$said"
  planted "$1"
}

# Lines much longer than a page is wide, in pieces.
fit() {
  awk 'length <= 116 { print; next }
    { line = $1
      if (match($0, /^ +/)) line = substr($0, 1, RLENGTH) line
      for (i = 2; i <= NF; i++)
        if (length(line " " $i) <= 76) line = line " " $i
        else { print line; line = "      " $i }
      print line }'
}

# answer PATTERN COMMAND [ALSO]: runs it, shows it as one would type it, and of
# what it says the first lines that match either pattern, at most $most. Sets
# code.
most=12
answer() {
  echo "\$ $2" | fit
  sh -c "$2" >"$said" 2>&1 </dev/null
  code=$?
  grep -E -- "$1${3:+|$3}" "$said" | head -n $most |
    sed 's/^/  /; s/ *$//' | fit
}

surprise() {
  echo "SURPRISE: $1"
  tail -n 15 "$said" | sed 's/^/  | /'
  surprises=$((surprises + 1))
}

# accepts PATTERN COMMAND [ALSO]: it succeeds, and says what the pattern says.
accepts() {
  answer "$@"
  [ $code -eq 0 ] || surprise "this should have passed, exit code $code"
  grep -qE -- "$1" "$said" || surprise "nothing said matches '$1'"
}

# refuses PATTERN COMMAND [ALSO]: it fails, and says what the pattern says.
refuses() {
  answer "$@"
  [ $code -ne 0 ] || surprise "this should have been refused"
  grep -qE -- "$1" "$said" || surprise "nothing said matches '$1'"
}

verdict() {
  [ $surprises -eq 0 ] || exit 1
  echo "The mistake is refused."
}
