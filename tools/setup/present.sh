# shellcheck shell=sh
# What setup, downloads and doctor ask. Sourced by them.

pins=${tools:?}/setup/pins.conf

# stop CODE SENTENCE...
stop() {
  code=$1
  shift
  echo "$*" >&2
  exit "$code"
}

# is_group WORD: one of those that setup can install
is_group() {
  case $1 in
  core | book | tests | peers | model | cluster | aarch64) ;;
  *) return 1 ;;
  esac
}

# apt_lines GROUP: PACKAGE TRIED OLDEST PROBE PURPOSE..., one a line
apt_lines() {
  sed -n "s/^apt $1 //p" "$pins"
}

# not_older OLDEST FOUND: versions in numbers and dots; - as OLDEST takes any
not_older() {
  [ "$1" = - ] || printf '%s\n%s\n' "$1" "$2" | sort -V -C
}

# program_version PROGRAM: the first number with a dot that it says of itself
program_version() {
  "$1" --version 2>/dev/null </dev/null |
    grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1
}

# present PROBE [OLDEST]: is it here, and new enough?
present() {
  case $1 in
  command:*) command -v "${1#*:}" >/dev/null && { [ "${2:--}" = - ] ||
    not_older "$2" "$(program_version "${1#*:}")"; } ;;
  file:*) [ -e "${1#*:}" ] ;;
  header:*) echo "#include <${1#*:}>" | gcc -E -x c - ;;
  clang:*)
    echo 'int main(void) { return 0; }' |
      clang -x c "${1#*:}" -o /dev/null - ;;
  pip) "$tools/setup/cuda-home.sh" || find_python ;;
  *) false ;;
  esac >/dev/null 2>&1
}

# pip_pins GROUP: what its Python environment holds, a package a line, with this
# machine's hashes where there are any
pip_pins() {
  awk -v group="$1" -v machine="$(uname -m)" '
    $1 == "pip" || $1 == "wheel" {
      its = $1 == "pip" && $2 == group
      if (its) { printf "%s%s==%s", end, $3, $4; end = "\n" }
    }
    its && $1 == "sha256" && $2 == machine { printf " --hash=sha256:%s", $3 }
    END { printf end }' "$pins"
}

# environment_here GROUP: is it whole, and the one that is pinned now?
environment_here() {
  pip_pins "$1" | cmp -s - "${tools%/*}/.deps/$1/stamp"
}

# The first Python that is new enough and has pip, or can make it.
find_python() {
  oldest=$(sed -n 's/^oldest python //p' "$pins" | tr . ,)
  for python in python3 python3.14 python3.13 python3.12 python3.11 \
      python3.10 /usr/bin/python3; do
    "$python" - <<PYTHON >/dev/null 2>&1 && { echo "$python"; return; }
import importlib.util as util, sys
sys.exit(sys.version_info < ($oldest) or
         not (util.find_spec("pip") or util.find_spec("ensurepip")))
PYTHON
  done
  return 1
}

# hash_of PACKAGE: of the wheel that is pinned for this machine; nothing where
# there is none
hash_of() {
  awk -v package="$1" -v machine="$(uname -m)" '
    $1 == "wheel" || $1 == "pip" { its = $1 == "wheel" && $3 == package }
    its && $1 == "sha256" && $2 == machine { print $3 }' "$pins"
}
