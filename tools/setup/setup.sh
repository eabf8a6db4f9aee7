#!/bin/sh
# Finds a Python that is new enough for setup.py, which installs all else; where
# there is none it installs Debian's, or says what to hand to an administrator.
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
oldest=$(sed -n 's/^oldest python //p' "$here/pins.conf")

# with_python MODULE ARG...: goes on in the first that has it
with_python() {
  needed=$1
  shift
  for python in python3 python3.14 python3.13 python3.12 python3.11 \
      python3.10 /usr/bin/python3; do
    "$python" -c "import sys, $needed
sys.exit(sys.version_info < ($(echo "$oldest" | tr . ,)))" 2>/dev/null &&
      exec "$python" "$here/setup.py" "$@"
  done
}
with_python ensurepip "$@"
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  from='' work=$(mktemp -d)
  if [ -n "${OFFLINE:-}" ]; then
    mkdir -p "$work/lists/partial"
    ln -s "$(CDPATH='' cd "$OFFLINE" && pwd)" "$work/its"
    echo "deb [trusted=yes] copy:$work/its/debs ./" >"$work/list"
    from="-o Dir::Etc::SourceList=$work/list -o Dir::Etc::SourceParts=-
      -o Dir::State::Lists=$work/lists -o APT::Sandbox::User=root"
  fi
  # shellcheck disable=SC2086 # options, or none
  apt-get -q $from update && DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=120 $from install --no-install-recommends \
    python3-venv
  rm -rf "$work"
  with_python ensurepip "$@"
fi
with_python sys "$@"
echo "Setup needs a python3 of $oldest or newer, with venv. Install these Debian\
 packages, as with 'sudo apt-get update' and 'sudo apt-get install', and run\
 setup again:" >&2
sed -n 's/^apt \(core\|book\|tests\) \([^ ]*\) .*/\2/p' "$here/pins.conf" |
  paste -sd ' ' >&2
exit 3
