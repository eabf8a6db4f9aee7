#!/bin/sh
# What doctor.sh says on machines of several kinds, all of them fake.
# shellcheck source=tests/setup/tap.sh
. "$(dirname "$0")/tap.sh"
fake_packages
echo 'exit 1' | fake dpkg-query
new=$scratch/cuda-13.0
fake_toolkit "$new" 13.0
echo | fake nvdisasm
mkdir -p "$tree/.deps/browser"
browser=$tree/.deps/browser/stamp
sed -n 's/^pip browser \([^ ]*\) \([^ ]*\).*/\1==\2/p' \
  "$tree/tools/setup/pins.conf" >"$browser"
pandoc=$tree/.deps/pypandoc_binary-$(sed -n \
  's/^wheel pandoc [^ ]* \([^ ]*\) .*/\1/p' "$tree/tools/setup/pins.conf")
mkdir -p "$pandoc/pypandoc/files"
printf '#!/bin/sh\necho pandoc 99.1\n' >"$pandoc/pypandoc/files/pandoc"
chmod +x "$pandoc/pypandoc/files/pandoc"
doctor=tools/doctor/doctor.sh
narrow() { [ -z "$(printf '%s\n' "$said" | awk 'length > 80')" ]; }
few_lines() { [ "$(printf '%s\n' "$said" | wc -l)" -le 4 ]; }

# gpu NAME CAPABILITY DRIVER
gpu() {
  echo "echo '$1, $2, $3'" | fake nvidia-smi
}

fake_nothing() {
  unset CUDA_HOME
  rm "$bin/gcc" "$bin/make" "$bin/git" "$bin/node" "$bin/clang"
}

export CUDA_HOME="$new"
run $doctor
holds 'all but a GPU: exit 0' exits 0
can_do() { [ "$(printf '%s\n' "$said" | head -n 1)" = "$1" ]; }
holds 'all but a GPU: what it can do, first' can_do \
  'This machine can do: gates, counters, races; machine code; the book; no timings.'
holds 'all but a GPU: says so' says 'MISSING  NVIDIA GPU'
holds 'says the compiler' says 'here +nvcc 13.0'
holds 'at most 80 columns' narrow
run $doctor --brief
holds 'brief: four lines at most' few_lines
holds 'brief: at most 80 columns' narrow
holds 'brief: nothing of setup missing' silent_on 'Missing'
rm "$bin/nvdisasm"
run $doctor
holds 'no nvdisasm: what it is for' says 'MISSING  nvdisasm +for what the chap'
echo | fake nvdisasm

run $doctor
holds 'Playwright' says 'here +Playwright +[0-9]'
echo playwright==0 >"$browser"
run $doctor
holds 'another Playwright: what it is for' says 'MISSING  Playwright +for the b'

run $doctor
holds 'pandoc: its version' says 'here +pandoc +99.1'
mv "$pandoc" "$scratch/pandoc"
run $doctor
holds 'no pandoc: exit 0' exits 0
holds 'no pandoc: no book' can_do \
  'This machine can do: gates, counters, races; machine code; no timings.'
holds 'no pandoc: what it is for' says "MISSING  pandoc +for the book's pages"
run $doctor --brief
holds 'brief: no pandoc' says 'Missing: pandoc'
mv "$scratch/pandoc" "$pandoc"

rm "$bin/qpdf"
run $doctor
holds 'no qpdf: exit 0' exits 0
holds 'no qpdf: no book' can_do \
  'This machine can do: gates, counters, races; machine code; no timings.'
holds 'no qpdf: what it is for' says "MISSING  qpdf +for the book's PDF"
run $doctor --brief
holds 'brief: no qpdf' says 'Missing: qpdf'

echo 'echo qpdf 2.9.2.1' | fake qpdf
run $doctor
holds 'an old qpdf: says so' says 'TOO OLD  qpdf +2.9.2.1; 11 or newer for'
holds 'an old qpdf: exit 0' exits 0
echo 'echo gcc 9.4.0' | fake gcc
run $doctor
holds 'an old gcc: exit 3' exits 3
holds 'an old gcc: no gates' can_do \
  'This machine can do: machine code; no timings.'
echo 'echo 99.1.2' | fake gcc

gpu 'NVIDIA H200' 9.0 580.95.05
run $doctor
holds 'a good GPU' says 'here +NVIDIA H200 +compute capability 9.0'
holds 'a good GPU: no complaint' silent_on 'older|under'
holds 'a good GPU: timings' can_do \
  'This machine can do: gates, counters, races; machine code; timings.'
rm "$bin/git"
run $doctor
holds 'no git: exit 0, as the executor does without' exits 0
holds 'no git: says so' says 'MISSING  git'
echo 'echo 99.1.2' | fake git
run $doctor --brief
holds 'brief: a good GPU' says 'NVIDIA H200'
gpu 'NVIDIA B200' 10.0 580.95.05
run $doctor
holds 'capability 10.0 is not under 8.0' silent_on 'under 8.0'
gpu 'Tesla V100' 7.0 580.95.05
run $doctor
holds 'an old GPU' says 'compute capability is under 8.0'
gpu 'NVIDIA L4' 8.9 550.54.15
run $doctor
holds 'an old driver' says 'Driver 550.54.15 is older than CUDA 13.0'
run $doctor --brief
holds 'brief: an old driver gives no timings' says 'no timings'
fake_toolkit "$scratch/cuda-12.8" 12.8
run env CUDA_HOME="$scratch/cuda-12.8" $doctor
holds 'CUDA 12 takes that driver' silent_on 'is older than CUDA'
printf 'echo "Failed to initialize NVML"; exit 9\n' | fake nvidia-smi
run $doctor
holds 'nvidia-smi that fails: its words' says 'Failed to initialize NVML'
holds 'nvidia-smi that fails: exit 0' exits 0

# rights MASK: of a user whose driver keeps the counters for administrators
rights() {
  mkdir -p "$proc/self" "$proc/driver/nvidia"
  echo 'RmProfilingAdminOnly: 1' >"$proc/driver/nvidia/params"
  printf 'CapEff:\t%s\n' "$1" >"$proc/self/status"
}
proc=$scratch/proc
export DOCTOR_PROC="$proc"
: | fake ncu
run $doctor
holds 'ncu, a driver that keeps nothing' silent_on 'may not read'
rights 0000000000000000
run $doctor
holds 'ncu, a user without rights' says 'may not read'
rights 0000000000200000
run $doctor
holds 'ncu, an administrator' silent_on 'may not read'
rights 00000000a80425fb
run $doctor
holds 'ncu, root in a container' says 'may not read'
: >"$new/bin/compute-sanitizer"
chmod +x "$new/bin/compute-sanitizer"
run $doctor
holds 'a tool off the PATH: says where' says 'It lies in .*cuda-13.0/bin: put that'

fake_toolkit "$scratch/cuda-11.8" 11.8
run env CUDA_HOME="$scratch/cuda-11.8" $doctor
holds 'nvcc 11.8 and no headers: exit 3' exits 3
holds 'nvcc 11.8: says its version' says 'CUDA 11.8; 12.8 or newer is'
holds 'nvcc 11.8: setup helps' says "'make setup' installs what is missing"

rm "$bin/g++"
run $doctor
holds 'no g++: exit 3' exits 3
holds 'no g++: what it is for' says 'MISSING  g\+\+ +for kernels on the CPU'
run $doctor --brief
holds 'brief: exit 0 even then' exits 0
holds 'brief: four lines even then' few_lines
holds 'brief: no executor' says 'Here: nvcc 13.0; no usable GPU'
fake_nothing
run $doctor
holds 'nothing here: says so first' can_do \
  'This machine can do: nothing yet; no timings.'
run $doctor --brief
holds 'brief: nothing here' says 'nothing yet'
holds 'brief: nothing here: how many' says 'and [0-9]+ more'
holds 'brief: nothing here: four lines, 80 columns' few_lines
run $doctor --wrong
holds 'an unknown option: exit 2' exits 2
finish
