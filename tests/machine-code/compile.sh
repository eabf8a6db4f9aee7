# shellcheck shell=sh
# Compiling one arm of a kernel and comparing machine code; sourced, after
#   cuda=$(tools/setup/cuda-home.sh) log=FILE made=FOLDER

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

# cubins_of STAGE <SETTINGS, a line for each arm: compiles those that are not
cubins_of() {
  while read -r settings; do
    # shellcheck disable=SC2086 # settings are words
    echo "build/gpu/$1/$(tools/toggles/toggles.sh arm "$1" $settings \
      </dev/null)/sm_90a.cubin"
  done >"${made:?}/cubins"
  xargs make -s -k -j2 <"$made/cubins" >"${log:?}" 2>&1
}

# cubin_of STAGE SETTINGS: that arm's machine code as the file $arm_file
cubin_of() {
  # shellcheck disable=SC2086 # settings are words
  arm_file=build/gpu/$1/$(tools/toggles/toggles.sh arm "$1" $2)/sm_90a.cubin
  [ -s "$arm_file" ] || echo "$2" | cubins_of "$1"
}

# differs STAGE BASE-SETTINGS SETTINGS: on the GPU or on the CPU
differs() {
  of=$1 base_settings=$2 settings=$3
  cubin_of "$of" "$base_settings" && base_file=$arm_file &&
    cubin_of "$of" "$settings" || return
  ! cmp -s "$base_file" "$arm_file" && return
  # shellcheck disable=SC2086
  host_code "$made/base" "$of" $base_settings &&
    host_code "$made/other" "$of" $settings &&
    ! cmp -s "$made/base" "$made/other"
}

# toggles_of STAGE <SETTINGS: a line of TAP for each: it is other machine code
# than the same arm without it, or than the default, where what it needs beside
# it is ruled out without it.
toggles_of() {
  cat >"$made/toggles"
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
  cubins_of "$1" <"$made/arms"
  while IFS='|' read -r setting also base; do
    differs "$1" "$base" "$setting${also:+ $also}"
    ok $? "$1: $setting${also:+ beside $also} is other machine code" "$log"
  done <"$made/settings"
}
