#!/bin/sh
# Nsight Compute's counters for one launch of one kernel, as JSON, and what they
# say:
#   profile.sh record STAGE/ARM FOLDER [SHAPE...]
#   profile.sh read STAGE/ARM [FOLDER]     the newest that is recorded
# record writes FOLDER/STAGE[.ARM].ncu.json. The clocks are left as they are,
# and the caches warm, as they are when the harness takes its times.
set -eu
verb=$1 arm=$2 folder=${3:-}
. tools/results/find.sh
name=$(result_name "$arm").ncu.json

read_recorded() {
  file=''
  for place in ${folder:-$(result_folders results)}; do
    [ ! -f "$place/$name" ] || { file=$place/$name; break; }
  done
  if [ -z "$file" ]; then
    echo "profile needs a GPU, and no profile of $arm is recorded." >&2
    exit 3
  fi
  echo "No GPU was used: this is the newest recorded profile, $file."
  hash=$(sed -n 's/.*"kernel_hash": "\([0-9a-f]*\)".*/\1/p' "$file")
  [ "$hash" = "$(tools/results/kernel-hash.sh "${arm%%/*}")" ] ||
    echo "The kernel has changed since: its profile may have, too."
  build/tools/bounds "$file"
}

if [ "$verb" = read ]; then
  read_recorded
  exit
fi

shift 3
[ $# -gt 0 ] || set -- mission long
program=build/gpu/$arm/program
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=
PATH=$PATH:$cuda/bin
if ! command -v ncu >/dev/null; then
  echo "profile needs Nsight Compute (ncu), which is not on the PATH." >&2
  exit 3
fi
raw=$(mktemp)
wanted=$(mktemp)
aside=$folder/.profile.$$
trap 'rm -f "$raw" "$wanted" "$wanted.2" "$aside" "$aside.2"' EXIT

sed -n '/^#/!p' tools/profile/metrics.list | tr -d '?' >"$wanted"

# A metric that this profiler does not know is left out, if it may be.
leave_out() {
  unknown=$(awk 'FNR == NR { if (/^#/) next
      if (sub(/^\?/, "", $2)) { base = $2; sub(/\..*/, "", base)
        optional[$2] = $2; optional[base] = optional[base] " " $2 }
      next }
    /ERROR|Failed/ { gsub(/[",.]*( |$)/, " ")
      for (i = 1; i <= NF; i++) if ($i in optional) print optional[$i] }' \
    tools/profile/metrics.list "$raw" | tr ' ' '\n' | sort -u)
  [ -n "$unknown" ] || return
  for metric in $unknown; do
    grep -qF " $metric" "$wanted" || return
    echo "left out, because this profiler does not know it: $metric" >&2
    grep -vF " $metric" "$wanted" >"$wanted.2"
    mv "$wanted.2" "$wanted"
  done
}

# The first launch warms nothing that is counted; the second is profiled.
profile() {
  until ncu --clock-control none --cache-control none --csv \
    --print-units base --launch-skip 1 --launch-count 1 \
    --kernel-name attention_kernel \
    --metrics "$(awk '{ print $2 }' "$wanted" | paste -s -d ,)" \
    "$program" check --shape "$1" --seeds 0,1 --distribution normal \
    >"$raw" 2>&1; do
    if grep -q ERR_NVGPUCTRPERM "$raw"; then
      echo "This user may not read the GPU's counters. An administrator allows" \
        "it with the module option NVreg_RestrictProfilingToAdminUsers=0." >&2
    elif leave_out; then
      continue
    else
      tail -n 5 "$raw" >&2
    fi
    exit 3
  done
  grep -q gpu__time_duration "$raw" || {
    echo "The profiler counted nothing:" >&2
    tail -n 5 "$raw" >&2
    exit 3
  }
}

# The CSV's last columns are metric name, unit and value, all in quotes.
to_json() {
  awk -F '","' '
    FNR == NR { split($0, part, " "); name[part[2]] = part[1]; next }
    { for (i = 1; i <= NF; i++) if ($i in name) {
        value = $NF; gsub(/[",]/, "", value)
        if (value !~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/) continue
        printf "%s\n   \"%s\": %s", sep, name[$i], value; sep = "," } }
  ' "$wanted" "$raw"
}

mkdir -p "$folder"
info=$("$program" info)
hash=$(echo "$info" | awk '/^kernel hash/ { print $3 }')
device=$(echo "$info" | sed -n '1s/.* on \([^,]*\).*/\1/p')
{
  printf '{\n "build_meta": {\n  "schema_version": 1,\n'
  printf '  "stage": "%s",\n  "arm": "%s",\n' "${arm%%/*}" "${arm#*/}"
  printf '  "kernel_hash": "%s",\n  "device": {"name": "%s"},\n' "$hash" \
    "$device"
  printf '  "profiler": "%s"\n },\n "ncu": {' "$(ncu --version | tail -n 1)"
  between=
  for shape in "$@"; do
    profile "$shape"
    printf '%s\n  "%s": {%s\n  }' "$between" "$shape" "$(to_json)"
    between=,
  done
  printf '\n }\n}\n'
} >"$aside"
# What follows from the counters stands beside them.
{
  sed '$d' "$aside"
  printf ',"roofline": '
  build/tools/bounds --json "$aside"
  printf '\n}\n'
} >"$aside.2"
mv "$aside.2" "$folder/$name"
build/tools/bounds "$folder/$name"
echo "wrote $folder/$name"
