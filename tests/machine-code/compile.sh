# shellcheck shell=sh
# Compiling one arm of a kernel and comparing machine code; sourced, after
#   cuda=$(tools/cuda-home.sh) log=FILE made=FOLDER

# compile KIND OUTPUT STAGE [NAME=VALUE...]
compile() {
  kind=$1 output=$2 stage=$3
  shift 3
  for setting in "$@"; do
    shift
    set -- "$@" "-D$setting"
  done
  # Else the object has a name of its own for each compilation.
  "${cuda:?}/bin/nvcc" -std=c++17 -O3 -I. --objdir-as-tempdir \
    -gencode arch=compute_90a,code=sm_90a \
    "$@" "-$kind" -o "$output" "$stage/kernel.cu" >"${log:?}" 2>&1
}

# host_code OUTPUT STAGE [NAME=VALUE...]: what the CPU runs, as instructions: a
# toggle may choose between kernels there. Strings and constants do not count.
host_code() {
  listing=$1
  shift
  compile c "${made:?}/object.o" "$@" && objdump -d "$made/object.o" >"$listing"
}

# differs STAGE BASE-SETTINGS SETTINGS: on the GPU or on the CPU
differs() {
  of=$1 base_settings=$2 settings=$3
  # shellcheck disable=SC2086 # settings are words
  compile cubin "$made/base" "$of" $base_settings &&
    compile cubin "$made/other" "$of" $settings || return
  ! cmp -s "$made/base" "$made/other" && return
  # shellcheck disable=SC2086
  host_code "$made/base" "$of" $base_settings &&
    host_code "$made/other" "$of" $settings &&
    ! cmp -s "$made/base" "$made/other"
}

# beside STAGE NAME=VALUE: the other toggles that this setting needs, if the
# kernel rules it out alone: one of them, else two.
beside() {
  tools/toggles.sh allowed "$1" "$2" 2>/dev/null && return
  tools/toggles.sh list "$1" | while read -r other default values; do
    for value in $values; do
      [ "$value" = "$default" ] || [ "$other" = "${2%%=*}" ] ||
        echo "$other=$value"
    done
  done >"${made:?}/others"
  while read -r one; do
    tools/toggles.sh allowed "$1" "$2" "$one" 2>/dev/null && echo "$one" &&
      return
  done <"$made/others"
  while read -r one; do
    while read -r two; do
      tools/toggles.sh allowed "$1" "$2" "$one" "$two" 2>/dev/null &&
        echo "$one $two" && return
    done <"$made/others"
  done <"$made/others"
  return 1
}

# toggles_of STAGE: a line of TAP for each setting: it is other machine code
# than the same arm without it, or than the default, where what it needs beside
# it is ruled out without it.
toggles_of() {
  tools/toggles.sh list "$1" >"$made/toggles"
  while read -r name default values; do
    for value in $values; do
      [ "$value" != "$default" ] || continue
      also=$(beside "$1" "$name=$value" </dev/null) ||
        { ok 1 "$1: $name=$value is allowed beside something"; continue; }
      stage=$1
      # shellcheck disable=SC2086 # settings are words
      set -- $also
      base=$*
      tools/toggles.sh allowed "$stage" "$@" 2>/dev/null || base=''
      differs "$stage" "$base" "$name=$value $*"
      ok $? "$stage: $name=$value${also:+ beside $also} is other machine code" \
        "$log"
      set -- "$stage"
    done
  done <"$made/toggles"
}
