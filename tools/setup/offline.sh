# shellcheck shell=sh disable=SC2154,SC2034
# Setup without a network; sourced by setup.sh. OFFLINE names a folder that
# downloads.sh has filled on a machine like this one.

# What apt-get and pip are told beside the rest; no word of it has a blank.
apt_from='' pip_from=''

# What this machine is to packages, as in "debian 12 x86_64".
machine_kind() {
  tr -d '"' </etc/os-release | awk -F = -v machine="$(uname -m)" '
    { its[$1] = $2 }
    END { print its["ID"], its["VERSION_ID"], machine }'
}

# use_offline: whatever is fetched comes from that folder
use_offline() {
  if [ ! -r "$OFFLINE/machine" ] || [ ! -d "$OFFLINE/wheels" ]; then
    echo "OFFLINE is '$OFFLINE', which is no folder that 'make downloads" \
      "DIR=...' has filled." >&2
    return 2
  fi
  its=$(cat "$OFFLINE/machine")
  [ "$its" = "$(machine_kind)" ] || {
    echo "What '$OFFLINE' holds is for $its, and this is $(machine_kind)." >&2
    return 3
  }
  # A path of ours, for the folder's own may have blanks.
  ln -sfn "$(CDPATH='' cd "$OFFLINE" && pwd)" "$deps/offline" &&
    mkdir -p "$deps/lists/partial" || return 1
  echo "deb [trusted=yes] file:$deps/offline/debs ./" >"$deps/offline.list"
  apt_from="-o Dir::Etc::SourceList=$deps/offline.list
    -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$deps/lists
    -o APT::Sandbox::User=root"
  pip_from="--no-index --find-links $deps/offline/wheels"
}
