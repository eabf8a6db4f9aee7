#!/bin/sh
# Nsight Compute's counters for one launch of one kernel, as JSON:
#   profile.sh STAGE/ARM FOLDER [SHAPE...]
# Writes FOLDER/STAGE[.ARM].ncu.json. The clocks are left as they are, and the
# caches warm, as they are when the harness takes its times.
set -eu
arm=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- mission long
program=build/gpu/$arm/program
PATH=$PATH:$(tools/cuda-home.sh 2>/dev/null)/bin
if ! command -v ncu >/dev/null; then
  echo "profile needs Nsight Compute (ncu), which is not on the PATH." >&2
  exit 3
fi

metrics=$(awk '!/^#/ { print $2 }' tools/profile.metrics | paste -s -d ,)
raw=$(mktemp)
aside=$folder/.profile.$$
trap 'rm -f "$raw" "$aside"' EXIT

# The first launch warms nothing that is counted; the second is profiled.
profile() {
  ncu --clock-control none --cache-control none --csv --print-units base \
    --launch-skip 1 --launch-count 1 --kernel-name attention_kernel \
    --metrics "$metrics" \
    "$program" check --shape "$1" --seeds 0,1 --distribution normal \
    >"$raw" 2>&1 || {
    if grep -q ERR_NVGPUCTRPERM "$raw"; then
      echo "This user may not read the GPU's counters. An administrator allows" \
        "it with the module option NVreg_RestrictProfilingToAdminUsers=0." >&2
    else
      tail -n 5 "$raw" >&2
    fi
    exit 3
  }
}

# The CSV's last columns are metric name, unit and value, all in quotes.
to_json() {
  awk -F '","' '
    FNR == NR { if ($0 !~ /^#/) { split($0, part, " "); name[part[2]] = part[1] }
                next }
    { for (i = 1; i <= NF; i++) if ($i in name) {
        value = $NF; gsub(/[",]/, "", value)
        printf "%s\n   \"%s\": %s", sep, name[$i], value; sep = "," } }
  ' tools/profile.metrics "$raw"
}

mkdir -p "$folder"
hash=$("$program" info | awk '/^kernel hash/ { print $3 }')
{
  printf '{\n "build_meta": {\n  "schema_version": 1,\n'
  printf '  "stage": "%s",\n  "arm": "%s",\n' "${arm%%/*}" "${arm#*/}"
  printf '  "kernel_hash": "%s",\n' "$hash"
  printf '  "profiler": "%s"\n },\n "ncu": {' "$(ncu --version | tail -n 1)"
  between=
  for shape in "$@"; do
    profile "$shape"
    printf '%s\n  "%s": {%s\n  }' "$between" "$shape" "$(to_json)"
    between=,
  done
  printf '\n }\n}\n'
} >"$aside"
case $arm in
*/default) name=${arm%/default} ;;
*) name=$(echo "$arm" | tr / .) ;;
esac
mv "$aside" "$folder/$name.ncu.json"
echo "wrote $folder/$name.ncu.json"
