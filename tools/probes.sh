# shellcheck shell=sh
# What setup and doctor both ask. Sourced by them, from this folder.

# apt_lines GROUP: PACKAGE VERSION PROBE PURPOSE..., one a line
apt_lines() {
  sed -n "s/^apt $1 //p" "${tools:?}/pins.conf"
}

# present PROBE: is it here?
present() {
  case $1 in
  command:*) command -v "${1#*:}" >/dev/null ;;
  file:*) [ -e "${1#*:}" ] ;;
  header:*) includes "${1#*:}" gcc ;;
  clang:*) includes "${1#*:}" clang -fopenmp ;;
  pip) "$tools/cuda-home.sh" >/dev/null 2>&1 || find_python >/dev/null ;;
  *) echo "pins.conf has an unknown probe: $1" >&2; exit 1 ;;
  esac
}

# includes HEADER COMPILER...: does the compiler find the header?
includes() {
  header=$1
  shift
  echo "#include <$header>" | "$@" -E -x c - >/dev/null 2>&1
}

# The first Python of 3.10 or newer that has pip or can make it.
find_python() {
  for python in python3 python3.14 python3.13 python3.12 python3.11 \
      python3.10 /usr/bin/python3; do
    "$python" - <<'PYTHON' >/dev/null 2>&1 && { echo "$python"; return; }
import importlib.util as util, sys
sys.exit(sys.version_info < (3, 10) or
         not (util.find_spec("pip") or util.find_spec("ensurepip")))
PYTHON
  done
  return 1
}
