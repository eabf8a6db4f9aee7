#!/bin/sh
# What doctor.sh says on machines of several kinds, all of them fake.
# shellcheck source=tests/setup/tap.sh
. "$(dirname "$0")/tap.sh"
fake_packages
echo 'exit 1' | fake dpkg-query
new=$scratch/cuda-13.0
fake_toolkit "$new" 13.0
doctor=tools/doctor.sh
narrow() { [ -z "$(printf '%s\n' "$said" | awk 'length > 80')" ]; }
few_lines() { [ "$(printf '%s\n' "$said" | wc -l)" -le 4 ]; }

# gpu NAME CAPABILITY DRIVER
gpu() {
  echo "echo '$1, $2, $3'" | fake nvidia-smi
}

export CUDA_HOME="$new"
run $doctor
ok 'all but a GPU: exit 0' exits 0
ok 'all but a GPU: says so' says 'MISSING  NVIDIA GPU'
ok 'says the compiler' says 'here +nvcc 13.0'
ok 'at most 80 columns' narrow
run $doctor --brief
ok 'brief: four lines at most' few_lines
ok 'brief: at most 80 columns' narrow
ok 'brief: nothing of setup missing' silent_on 'Missing'

rm "$bin/pandoc"
run $doctor
ok 'no pandoc: exit 0' exits 0
ok 'no pandoc: what it is for' says "MISSING  pandoc +for the book's pages"
run $doctor --brief
ok 'brief: no pandoc' says 'Missing: pandoc'

gpu 'NVIDIA H200' 9.0 580.95.05
run $doctor
ok 'a good GPU' says 'here +NVIDIA H200 +compute capability 9.0'
ok 'a good GPU: no complaint' silent_on 'older|under'
run $doctor --brief
ok 'brief: a good GPU' says 'NVIDIA H200'
gpu 'NVIDIA B200' 10.0 580.95.05
run $doctor
ok 'capability 10.0 is not under 8.0' silent_on 'under 8.0'
gpu 'Tesla V100' 7.0 580.95.05
run $doctor
ok 'an old GPU' says 'compute capability is under 8.0'
gpu 'NVIDIA L4' 8.9 550.54.15
run $doctor
ok 'an old driver' says 'Driver 550.54.15 is older than CUDA 13.0'
run $doctor --brief
ok 'brief: an old driver gives no timings' says 'no timings'
fake_toolkit "$scratch/cuda-12.8" 12.8
run env CUDA_HOME="$scratch/cuda-12.8" $doctor
ok 'CUDA 12 takes that driver' silent_on 'is older than CUDA'
printf 'echo "Failed to initialize NVML"; exit 9\n' | fake nvidia-smi
run $doctor
ok 'nvidia-smi that fails: its words' says 'Failed to initialize NVML'
ok 'nvidia-smi that fails: exit 0' exits 0

fake_toolkit "$scratch/cuda-11.8" 11.8
run env CUDA_HOME="$scratch/cuda-11.8" $doctor
ok 'nvcc 11.8 and no headers: exit 3' exits 3
ok 'nvcc 11.8: says its version' says 'CUDA 11.8; 12.8 or newer is'
ok 'nvcc 11.8: setup helps' says "'make setup' installs what is missing"

rm "$bin/g++"
run $doctor
ok 'no g++: exit 3' exits 3
ok 'no g++: what it is for' says 'MISSING  g\+\+ +for kernels on the CPU'
run $doctor --brief
ok 'brief: exit 0 even then' exits 0
ok 'brief: no executor' says 'Here: nvcc 13.0; no usable GPU'
run $doctor --wrong
ok 'an unknown option: exit 2' exits 2
plan
