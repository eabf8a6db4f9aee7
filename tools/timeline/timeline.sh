#!/bin/sh
# When the warps of a kernel begin which phase:
#   timeline.sh gpu|cpu STAGE/ARM FOLDER [OPTION...]
# On a GPU: the gates with and without clock stamps, what the stamps cost, and
# one launch: FOLDER/STAGE[.ARM].timeline.json, and traces and a drawing in
# build/timeline. Without one: the newest recorded summary, and from the
# executor the order of phases.
set -u
target=$1 arm=$2 folder=$3
shift 3
name=$(tools/toggles/toggles.py file "$arm")
traces=build/timeline
program=build/$target/$arm/timeline

grep -qs '^phases' "${arm%%/*}/stage.toml" "further/${arm%%/*}/stage.toml" || {
  echo "timeline: ${arm%%/*} has no list of phases in its stage.toml; every" \
    "stage from 2 on has one." >&2
  exit 2
}

# Of the shape that was asked for first, where that is recorded
draw() {
  tools/setup/pandoc.sh 2>/dev/null || return 0
  mkdir -p $traces
  tools/timeline/draw.lua "$1" "$traces/$name.svg" "${asked:-mission}" \
    2>/dev/null || tools/timeline/draw.lua "$1" "$traces/$name.svg" || return
  echo "wrote $traces/$name.svg"
}

# Registers with and without stamps; with spills it would be another kernel.
resources() {
  plain=$(tools/resources/resources.py read "build/gpu/$arm/sm_$ARCH.cubin.ptxas")
  stamped=$(tools/resources/resources.py read "build/gpu/$arm/stamped.cubin.ptxas")
  echo "without stamps: $plain"
  echo "with stamps:    $stamped"
  case $stamped in
  registers=*" spill_bytes=0") ;;
  *)
    echo "timeline: with stamps the kernel must not spill registers." >&2
    exit 1
    ;;
  esac
}

asked=
case " $* " in
*" --shape "*) asked="${*} " asked=${asked#*--shape } asked=${asked%% *} ;;
*)
  if [ "$target" = gpu ]; then
    set -- "$@" --shape mission --shape long
  else
    set -- "$@" --shape 1,1,128,64
  fi
  ;;
esac

if [ "$target" = gpu ]; then
  resources
  "$program" --json "$folder" --trace $traces --commit "${COMMIT:-unknown}" \
    --resources "$plain" --resources "$stamped" "$@" || exit
  draw "$folder/$name.timeline.json"
  exit
fi

if file=$(tools/results/newest.py "$name.timeline.json" "$folder"); then
  echo "No GPU was used: this is the newest recorded timeline, $file."
  tools/results/holds.py "$file" \
    "$(tools/results/kernel_hash.py "${arm%%/*}")" ||
    echo "The kernel has changed since: its timeline may have, too."
  build/tools/timeline-show "$file" || exit
  printf '\nAnd from the executor, now:\n'
fi
"$program" --trace $traces "$@" || exit
[ -z "$file" ] || draw "$file"
