#!/bin/sh
# The elite search over a stage's toggles:
#   tune.sh gpu|cpu STAGE FOLDER [OPTION...]
# Layer 1 tries every combination of the structure toggles that the kernel
# allows; layer 2 tries every combination of the detail toggles on the best three.
# A candidate is built, held against the resource budget, sent through the gates,
# and only then timed, in turn with the best so far. Candidates with the same
# machine code are one kernel, and are timed once. The best three are timed in one
# last run, together with the stage as it is by default. All trials and the elite
# go into FOLDER/STAGE.tune.json. After an interruption it goes on where it was.
# On the executor nothing is timed, so nothing is ranked.
set -u
target=$1 stage=$2 folder=$3
shift 3
keep=3
shape=${SHAPES:-mission}
shape=${shape%% *}
here=$(dirname "$0")

fail() {
  code=$1
  shift
  echo "tune: $*" >&2
  exit "$code"
}

# ---- what a search is about: another kernel or shape is another search -------

state=build/tune/$stage.$target
fingerprint="$(tools/results/kernel-hash.sh "$stage") $shape $* $(cat build/toolchain)"
if [ "$(cat "$state/about" 2>/dev/null)" != "$fingerprint" ]; then
  rm -rf "$state"
  mkdir -p "$state/trials" "$state/runs" || fail 3 "cannot write $state"
  echo "$fingerprint" >"$state/about"
else
  echo "going on after an interruption: $(find "$state/trials" -type f |
    wc -l) trials are done"
fi

# ---- combinations ------------------------------------------------------------

# toggles LAYER: those lines of the list; what only prints is not searched
toggles() {
  tools/toggles/toggles.sh layer "$stage" | awk -v layer="$1" '
    $2 == layer && $1 !~ /^DEBUG_/ { print $1 }' >"$state/names"
  tools/toggles/toggles.sh list "$stage" | awk 'FNR == NR { wanted[$1] = 1; next }
    $1 in wanted' "$state/names" -
}

# combinations LAYER: one a line, the defaults first
combinations() {
  toggles "$1" | awk '
    { name[NR] = $1; count[NR] = 1; value[NR, 1] = $2
      for (i = 3; i <= NF; i++) if ($i != $2) value[NR, ++count[NR]] = $i }
    function expand(n, line,   i) {
      if (n > NR) { print line; return }
      for (i = 1; i <= count[n]; i++)
        expand(n + 1, line name[n] "=" value[n, i] " ")
    }
    END { expand(1, "") }'
}

settings_of() {
  [ "$1" = default ] || echo "$1" | tr .- ' ='
}

# ---- one trial ---------------------------------------------------------------

# A trial is one line, written whole: arm, layer, state, registers, shared bytes,
# hash of the machine code, p50, the best's p50 in the same run, noise, score,
# and which arm the best was. The score is time against the default's.
record() {
  echo "$arm $layer $1 $registers $shared $code $p50 $best_p50 $noise $score" \
    "$against" >"$state/aside"
  mv "$state/aside" "$state/trials/$number.$arm"
  printf '  layer %s  %-40s %s%s\n' "$layer" "$arm" "$(echo "$1" | tr _ ' ')" \
    "${2:+ $2}"
}

# The timed trial with the smallest score: ARM SCORE
best() {
  cat "$state"/trials/* 2>/dev/null | awk '$3 == "timed" &&
    (!least || $10 < least) { least = $10; arm = $1 } END { print arm, least }'
}

build() {
  set -- "build/$target/$stage/$arm/program"
  [ "$target" = cpu ] || set -- "$@" "build/gpu/$stage/$arm/kernel.so"
  [ -z "$nvcc" ] || set -- "$@" "$cubin" "${cubin%/*}/kernel.o"
  env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES "${MAKE:-make}" LOCKED=1 \
    --no-print-directory ARCH="$ARCH" CC="$CC" CXX="$CXX" "$@" \
    >"$state/log" 2>&1 </dev/null
}

# The device's code and the host's that launches it, without the toggles' names.
code_hash() {
  objcopy -O binary --only-section=.text "${cubin%/*}/kernel.o" \
    "$state/launch" || return
  cat "$cubin" "$state/launch" | sha256sum | cut -c 1-16
}

# Two numbers of one run's result files: median and noise, by graph if there.
read_times() {
  file=$1/$stage.$2.json
  [ "$2" != default ] || file=$1/$stage.json
  for method in graph event; do
    time_of=$(build/tools/number "$file" "perf/$shape/$method/p50_us") &&
      noise_of=$(build/tools/number "$file" "perf/$shape/$method/noise_us") &&
      return
  done
  return 1
}

# bench ARM OTHER...: all of them in turn, results into $state/runs
bench() {
  first=$1
  shift
  for other in "$@"; do
    shift
    [ "$other" = "$first" ] ||
      set -- "$@" --against "build/gpu/$stage/$other/kernel.so"
  done
  rm -f "$state/runs"/*
  "build/gpu/$stage/$first/program" bench --json "$state/runs" \
    --commit "${COMMIT:-unknown}" --shape "$shape" ${ITERS:+--iters "$ITERS"} \
    "$@" >"$state/log" 2>&1 </dev/null
}

time_it() {
  best_line=$(best)
  against=${best_line%% *} best_score=${best_line##* }
  if [ -z "$against" ]; then
    against=$arm best_score=1
  fi
  bench "$arm" "$against"
  result=$?
  [ $result -ne 1 ] || { record gates_failed; return; }
  [ $result -eq 0 ] || fail 3 "timing $arm failed: $(tail -n 1 "$state/log")"
  read_times "$state/runs" "$against" || fail 3 "no time of $against was recorded"
  best_p50=$time_of
  read_times "$state/runs" "$arm" || fail 3 "no time of $arm was recorded"
  p50=$time_of noise=$noise_of
  score=$(awk "BEGIN { print $best_score * $p50 / $best_p50 }")
  record timed "$p50 us, the best so far ($against) $best_p50, noise $noise"
}

# try LAYER SETTING...
try() {
  layer=$1
  shift
  arm=$(tools/toggles/toggles.sh arm "$stage" "$@") || exit
  for done in "$state"/trials/[0-9][0-9][0-9][0-9]."$arm"; do
    [ ! -e "$done" ] || return 0
  done
  number=$(printf '%04d' $(($(find "$state/trials" -type f | wc -l) + 1)))
  registers=- shared=- code=- p50=- best_p50=- noise=- score=- against=-
  cubin=build/gpu/$stage/$arm/sm_$ARCH.cubin
  if ! why=$(tools/toggles/toggles.sh allowed "$stage" "$@" 2>&1); then
    record ruled_out "by the kernel: $(echo "$why" | head -n 1)"
    return
  fi
  build || { record build_failed "$(tail -n 1 "$state/log")"; return; }
  if [ -n "$nvcc" ]; then
    used=$(tools/resources/resources.sh read "$cubin.ptxas") ||
      fail 1 "no resource report of $arm"
    registers=$(echo "$used" | sed 's/.*registers=\([0-9]*\).*/\1/')
    shared=$(echo "$used" | sed 's/.*shared_bytes=\([0-9]*\).*/\1/')
    code=$(code_hash) || fail 1 "no machine code of $arm"
    over=$(tools/resources/resources.sh within "$stage" "$cubin.ptxas") ||
      { record over_budget "$over"; return; }
    twin=$(cat "$state"/trials/* 2>/dev/null | awk -v code="$code" '
      $6 == code && $3 != "over_budget" { print $1; exit }')
    [ -z "$twin" ] || { against=$twin; record same_code "as $twin"; return; }
  fi
  # shellcheck disable=SC2086 # options are words without blanks
  "build/$target/$stage/$arm/program" check $gate_options \
    >"$state/log" 2>&1 </dev/null
  case $? in
  0) ;;
  1) record gates_failed; return ;;
  *) fail 3 "the gates of $arm did not run: $(tail -n 1 "$state/log")" ;;
  esac
  if [ "$target" = gpu ]; then time_it; else record green; fi
}

# ---- the search --------------------------------------------------------------

# The best by score; on the executor, where there is no best, the first.
elite() {
  cat "$state"/trials/* | awk '$3 == "timed" { print $10, $1 }
    $3 == "green" { print NR, $1 }' | sort -n -s | head -n $keep |
    cut -d ' ' -f 2
}

gate_options=
[ "$target" = gpu ] || gate_options="--brief $*"
nvcc=$(tools/setup/cuda-home.sh 2>/dev/null) || nvcc=
[ -n "$nvcc" ] || echo "There is no nvcc here: neither budget nor machine code" \
  "is checked."

combinations structure >"$state/layer1"
while read -r line; do
  # shellcheck disable=SC2086 # settings are words
  try 1 $line
  cat "$state"/trials/0001.* | grep -qE ' (timed|green) ' ||
    fail 1 "$stage as it is by default does not pass"
done <"$state/layer1"
combinations detail >"$state/layer2"
for one in $(elite); do
  while read -r line; do
    # shellcheck disable=SC2046,SC2086 # settings are words
    try 2 $(settings_of "$one") $line
  done <"$state/layer2"
done

: >"$state/final"
if [ "$target" = gpu ]; then
  arms=$( (elite; echo default) | awk '!seen[$1]++')
  # shellcheck disable=SC2086 # arms are words
  bench $arms || fail 3 "timing the elite: $(tail -n 1 "$state/log")"
  for arm in $arms; do
    read_times "$state/runs" "$arm" || fail 3 "no time of $arm was recorded"
    echo "$arm $time_of $noise_of"
  done | sort -n -s -k 2 >"$state/final"
fi
mkdir -p "$folder" || fail 3 "cannot write $folder"
cat "$state"/trials/* | awk -v target="$target" -v stage="$stage" \
  -v shape="$shape" -v keep=$keep -v hash="${fingerprint%% *}" \
  -v final="$state/final" -f "$here/tune.awk" >"$state/result.json" ||
  fail 3 "the result cannot be written"
cp "$state/result.json" "$folder/.tune.$$" ||
  fail 3 "cannot write $folder/$stage.tune.json"
mv "$folder/.tune.$$" "$folder/$stage.tune.json"
[ -z "$nvcc" ] || echo "$(awk '$6 != "-" && !seen[$6]++ { n++ }
  END { print n + 0 }' "$state"/trials/*) different kernels, by machine code"
if [ "$target" = gpu ]; then
  echo "the elite at $shape, timed in turn in one run:"
  awk '{ printf "  %-40s %9.2f us, noise %.2f\n", $1, $2, $3 }' "$state/final"
else
  echo "Nothing was timed, so nothing is ranked: the executor predicts no time."
fi
echo "wrote $folder/$stage.tune.json"
rm -rf "$state"
