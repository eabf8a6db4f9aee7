# shellcheck shell=sh disable=SC2034,SC2154
# What the builds of the book and of the slides do alike; to be read by both.
# They have set `book`, this folder, and `needs`: "The book needs".

# switch NAME VALUE DOES: ends the build where the value is not 0 or 1.
switch() {
  case $2 in
  '' | 0 | 1) ;;
  *)
    echo "$1 is '$2': 1 $3." >&2
    exit 2
    ;;
  esac
}

# need PROGRAM...: ends the build where one is missing.
need() {
  for program in "$@"; do
    command -v "$program" >/dev/null || {
      echo "$needs $program: 'make setup' installs it." >&2
      exit 3
    }
  done
}

# Where KaTeX lies, for node and in $katex.
find_katex() {
  export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"
  katex=$("$book/katex-folder.sh") ||
    { echo "$needs KaTeX: 'make setup' installs it." >&2; exit 3; }
}

# KaTeX's style sheet, which names no fonts but the woff2 ones.
katex_style() {
  sed 's/,url([^)]*\.\(woff\|ttf\)) format([^)]*)//g' \
    "$katex/dist/katex.min.css"
}

# begin_aside OUT: $out, with its whole path, and $new, a folder beside it.
begin_aside() {
  mkdir -p "$(dirname "$1")"
  out=$(CDPATH='' cd "$(dirname "$1")" && pwd)/$(basename "$1")
  new=$(mktemp -d "$out.XXXXXX")
}

# put_in_place FOLDER: it becomes $out.
put_in_place() {
  rm -rf "$out.old"
  [ ! -e "$out" ] || mv "$out" "$out.old"
  mv "$1" "$out"
  rm -rf "$out.old"
}
