#!/bin/sh
# Fills a folder with all that setup.sh would fetch, for machines that have no
# network:
#   downloads.sh FOLDER [core|book|tests|peers|model|cluster|aarch64]...
# With no group: core, book and tests. They must be of this machine's kind, with
# its release of Debian. There, OFFLINE=FOLDER setup.sh takes what it needs.
# What is in the folder already is not fetched again.
# Exit: 0 all is there; 1 a step failed; 2 usage; 3 this is no Debian.
set -u
tools=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup/present.sh
. "$tools/setup/present.sh"
# shellcheck source=tools/setup/offline.sh
. "$tools/setup/offline.sh"
# shellcheck source=tools/setup/aarch64.sh
. "$tools/setup/aarch64.sh"

folder=${1:-}
[ -n "$folder" ] || stop 2 "Give the folder to fill, as in 'make downloads" \
  "DIR=/media/stick'."
shift
for group in "$@"; do
  is_group "$group" ||
    stop 2 "There is no group '$group'; there are core, book, tests, peers," \
      "model, cluster, aarch64."
done
[ $# -gt 0 ] || set -- core book tests
for program in apt-get dpkg-deb; do
  command -v $program >/dev/null ||
    stop 3 "This takes a Debian with $program, like the machines it is for."
done
python=$(find_python) || stop 3 "This takes a python3 with pip or venv."
{ mkdir -p "$folder/debs/partial" "$folder/wheels" &&
  folder=$(CDPATH='' cd "$folder" && pwd) &&
  : >"$folder/nothing"; } 2>/dev/null ||
  stop 1 "$folder cannot be written."
work=$(mktemp -d)
trap 'rm -rf "$work" "$folder/nothing" "$folder/debs/partial"' EXIT
trap 'exit 130' INT TERM HUP

# packages: with all that they depend on, as if nothing were installed there
packages() {
  # shellcheck disable=SC2046 # a package a line
  apt-get -q -y -o Dir::State::status="$folder/nothing" \
    -o Dir::Cache="$work" -o Dir::Cache::archives="$folder/debs/" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root --download-only \
    --no-install-recommends install \
    $(for group in "$@"; do apt_lines "$group"; done | cut -d ' ' -f 1)
}

# index: what apt wants to know of a folder of packages
index() {
  for deb in "$folder"/debs/*.deb; do
    [ -e "$deb" ] || continue # a group may have none
    dpkg-deb -f "$deb" && printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' \
      "${deb##*/}" "$(wc -c <"$deb")" "$(sha256sum "$deb" | cut -d ' ' -f 1)" ||
      return
  done >"$folder/debs/Packages.new" &&
    mv "$folder/debs/Packages.new" "$folder/debs/Packages"
}

# wheels_of GROUP: the sets of wheels that it has
wheels_of() {
  case $1 in
  core) echo 'headers\|nvcc\|disassembler' ;;
  book) echo pandoc ;;
  cluster) echo nccl ;;
  peers) echo fa3 ;;
  esac
}

# requirements GROUP: its wheels, with this machine's hashes
requirements() {
  sets=$(wheels_of "$1")
  [ -n "$sets" ] || return 0
  sed -n "s/^wheel \($sets\) //p" "$pins" | while read -r package version _; do
    echo "$package==$version --hash=sha256:$(hash_of "$package")"
  done
}

pip() {
  "$work/pip/bin/python" -m pip download -q --no-input --only-binary :all: \
    --disable-pip-version-check -d "$folder/wheels" "$@"
}

# environment GROUP [OPTION...]: what its Python environment takes, and what
# that needs
environment() {
  pip_pins "$1" >"$work/pins"
  shift
  pip "$@" -r "$work/pins"
}

failed() { stop 1 "This failed: $1. Run it again and it goes on from here."; }

# of GROUP: what it needs of Python's packages
of() {
  requirements "$1" >"$work/wheels"
  [ ! -s "$work/wheels" ] ||
    pip --no-deps --require-hashes -r "$work/wheels" || return
  case $1 in
  tests) environment tests ;;
  peers) environment peers ;;
  model) environment model --no-deps ;;
  esac
}

echo "Debian packages for: $*"
packages "$@" >"$work/log" 2>&1 ||
  failed "apt-get says '$(tail -n 1 "$work/log")'"
case " $* " in *' aarch64 '*)
  echo 'Debian packages of libraries for aarch64'
  fetch_aarch64 "$work/aarch64" "$folder/debs" >"$work/log" 2>&1 ||
    failed "apt-get says '$(tail -n 1 "$work/log")'" ;;
esac
index || failed 'listing the packages'
"$python" -m venv "$work/pip" || failed 'making a Python environment'
for group in "$@"; do
  echo "Python's packages for: $group"
  of "$group" || failed "the packages for $group"
done
machine_kind >"$folder/machine"
echo "$folder has $(du -sh "$folder" | cut -f 1) for $(cat "$folder/machine")."
echo "On a machine of that kind: make setup OFFLINE=$folder"
