# shellcheck shell=sh disable=SC2154
# The libraries that the executor is linked with, for aarch64, no root needed;
# sourced by setup.sh and downloads.sh. The C library comes with the cross
# compiler, so apt is told that it is there.

# aarch64_pins: PACKAGE VERSION, one a line
aarch64_pins() {
  sed -n 's/^deb aarch64 \([^ ]*\) \([^ ]*\).*/\1 \2/p' "$pins"
}

# Are they here, as they are pinned now?
aarch64_here() {
  aarch64_pins | cmp -s - "${tools%/*}/.deps/aarch64/stamp"
}

# fetch_aarch64 WORK ARCHIVES [OPTION...]: into the folder ARCHIVES, with all
# that they depend on. What apt keeps for it lies in WORK: this machine's own
# packages are not touched.
fetch_aarch64() {
  work_of=$1 archives=$2
  shift 2
  mkdir -p "$work_of/lists/partial" "$archives/partial" || return
  for package in libc6 libc6-dev libgcc-s1; do
    printf 'Package: %s\nStatus: install ok installed\nArchitecture: arm64\n' \
      "$package"
    printf 'Multi-Arch: same\nVersion: 99\nMaintainer: -\nDescription: -\n\n'
  done >"$work_of/status" || return
  set -- -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
    -o Dir::State::status="$work_of/status" -o Dir::Cache="$work_of" \
    -o Dir::State::Lists="$work_of/lists" -o Debug::NoLocking=1 \
    -o Dir::Cache::archives="$archives/" -o APT::Sandbox::User=root \
    -o Acquire::Languages=none "$@"
  apt-get "$@" update || echo "the lists could not all be read"
  # shellcheck disable=SC2046 # a package a word
  apt-get "$@" --download-only --no-install-recommends install \
    $(aarch64_pins | cut -d ' ' -f 1)
}

# shellcheck disable=SC2317 # step calls it
unpack_aarch64() {
  new=$deps/aarch64.new
  rm -rf "$new"
  mkdir -p "$new" || return
  set --
  # What lies in a folder of ours apt would leave there.
  [ -z "$apt_from" ] || {
    sed 's/ file:/ copy:/' "$deps/offline.list" >"$new/offline.list" || return
    set -- -o Dir::Etc::SourceList="$new/offline.list"
  }
  # shellcheck disable=SC2086 # options, or none
  fetch_aarch64 "$new/apt" "$new/debs" $apt_from "$@" || return
  for deb in "$new"/debs/*.deb; do
    dpkg-deb -x "$deb" "$new" || return
  done
  rm -rf "$new/apt" "$new/debs" "$new/offline.list"
  aarch64_pins >"$new/stamp" && rm -rf "$deps/aarch64" &&
    mv "$new" "$deps/aarch64"
}

install_aarch64() {
  ! aarch64_here || return 0
  command -v apt-get >/dev/null || return 0
  step 'Libraries for aarch64, 10 MB' unpack_aarch64
}
