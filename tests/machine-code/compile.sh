# shellcheck shell=sh
# Compiling one arm of a kernel and comparing machine code; sourced, after
#   cuda=$(tools/setup/cuda-home.sh) log=FILE made=FOLDER

# compile KIND OUTPUT STAGE [NAME=VALUE...]
compile() {
  compile_logged "${log:?}" "$@"
}

# compile_logged LOG KIND OUTPUT STAGE [NAME=VALUE...]: the same with a log of
# its own
compile_logged() {
  said=$1 kind=$2 output=$3 stage=$4
  shift 4
  for setting in "$@"; do
    shift
    set -- "$@" "-D$setting"
  done
  # Else the object has a name of its own for each compilation.
  "${cuda:?}/bin/nvcc" -std=c++17 -O3 -I. --objdir-as-tempdir \
    -gencode arch=compute_90a,code=sm_90a \
    "$@" "-$kind" -o "$output" "$stage/kernel.cu" >"$said" 2>&1
}

# host_code OUTPUT STAGE [NAME=VALUE...]: what the CPU runs, as instructions: a
# toggle may choose between kernels there. Strings and constants do not count.
host_code() {
  listing=$1
  shift
  compile c "${made:?}/object.o" "$@" && objdump -d "$made/object.o" >"$listing"
}

# cubin_of STAGE SETTINGS LOG: that arm's machine code, compiled once, as the
# file $arm_file
cubin_of() {
  arm_file=$made/$1.$(echo "$2" | tr ' ' ,).kept.cubin
  # shellcheck disable=SC2086 # settings are words
  [ -s "$arm_file" ] || compile_logged "$3" cubin "$arm_file" "$1" $2
}

# differs STAGE BASE-SETTINGS SETTINGS: on the GPU or on the CPU
differs() {
  of=$1 base_settings=$2 settings=$3
  cubin_of "$of" "$base_settings" "$log" && base_file=$arm_file &&
    cubin_of "$of" "$settings" "$log" || return
  ! cmp -s "$base_file" "$arm_file" && return
  # shellcheck disable=SC2086
  host_code "$made/base" "$of" $base_settings &&
    host_code "$made/other" "$of" $settings &&
    ! cmp -s "$made/base" "$made/other"
}

# toggles_of STAGE: a line of TAP for each setting: it is other machine code
# than the same arm without it, or than the default, where what it needs beside
# it is ruled out without it. Two compile at a time.
toggles_of() {
  tools/toggles/toggles.sh others "$1" >"$made/toggles"
  : >"$made/settings"
  while read -r setting; do
    also=$(tools/toggles/toggles.sh beside "$1" "$setting" </dev/null) ||
      { ok 1 "$1: $setting is allowed beside something"; continue; }
    base=$also
    # shellcheck disable=SC2086 # settings are words
    tools/toggles/toggles.sh allowed "$1" $also 2>/dev/null || base=''
    echo "$setting|$also|$base" >>"$made/settings"
  done <"$made/toggles"
  while IFS='|' read -r setting also base; do
    printf '%s\n' "$base" "$setting${also:+ $also}"
  done <"$made/settings" | sort -u >"$made/arms"
  at_once=0
  while read -r settings; do
    cubin_of "$1" "$settings" "$made/log.$at_once" &
    at_once=$(((at_once + 1) % 2))
    [ $at_once -ne 0 ] || wait
  done <"$made/arms"
  wait
  while IFS='|' read -r setting also base; do
    differs "$1" "$base" "$setting${also:+ $also}"
    ok $? "$1: $setting${also:+ beside $also} is other machine code" "$log"
  done <"$made/settings"
}
