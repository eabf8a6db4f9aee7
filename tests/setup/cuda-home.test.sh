#!/bin/sh
# Which toolkit cuda-home.sh chooses, with fake ones.
# shellcheck source=tests/setup/tap.sh
. "$(dirname "$0")/tap.sh"
new=$scratch/cuda-13.0 old=$scratch/cuda-11.8 deps=$tree/.deps/cuda
fake_toolkit "$new" 13.0
fake_toolkit "$old" 11.8
home=tools/setup/cuda-home.sh

run $home
holds 'nothing here: exit 3' exits 3
holds 'nothing here: says where it looked' says 'no CUDA toolkit on PATH'

run env PATH="$new/bin:$bin" $home
holds 'nvcc on PATH' is "$new"
run env PATH="$new/bin:$bin" $home --headers
holds 'its headers' is "$new/include"

ln -s "$new/bin/nvcc" "$scratch/nvcc"
mkdir "$scratch/links" && mv "$scratch/nvcc" "$scratch/links"
run env PATH="$scratch/links:$bin" $home
holds 'nvcc behind a link' is "$new"

run env CUDA_HOME="$new" $home
holds 'CUDA_HOME' is "$new"
fake_toolkit "$scratch/cuda-12.8" 12.8
run env CUDA_HOME="$scratch/cuda-12.8" PATH="$new/bin:$bin" $home
holds 'CUDA_HOME goes before PATH; 12.8 is enough' is "$scratch/cuda-12.8"
fake_toolkit "$scratch/cuda-12.10" 12.10
run env CUDA_HOME="$scratch/cuda-12.10" $home
holds '12.10 is newer than 12.8' is "$scratch/cuda-12.10"

run env PATH="$old/bin:$bin" $home
holds 'an old nvcc: exit 3' exits 3
holds 'an old nvcc: says its version' says 'is CUDA 11.8; 12.8 or newer is needed'
run env PATH="$old/bin:$bin" $home --headers
holds 'old headers: exit 3' exits 3
run env CUDA_HOME="$old" PATH="$new/bin:$bin" $home
holds 'an old CUDA_HOME gives way to PATH' is "$new"
run env CUDA_HOME=/nowhere $home
holds 'CUDA_HOME that is no folder: says so' says 'CUDA_HOME=/nowhere is not'

rm "$new/lib64/libcudart_static.a"
run env CUDA_HOME="$new" $home
holds 'a toolkit without its runtime library: exit 3' exits 3
holds 'a toolkit without its runtime library: says so' says 'no lib64/libcudart'
run env CUDA_HOME="$new" $home --headers
holds 'its headers serve all the same' is "$new/include"
rm "$new/include/nv/target"
run env CUDA_HOME="$new" $home --headers
holds 'headers without nv/target: says so' says 'no include/nv/target'

fake_toolkit "$deps" 13.0
run $home
holds 'an unfinished .deps/cuda is not used' exits 3
: >"$deps/stamp"
run $home
holds 'a finished .deps/cuda is used' is "$deps"
run env PATH="$old/bin:$bin" $home
holds 'a finished .deps/cuda after an old nvcc' is "$deps"
rm "$deps/bin/nvcc"
run $home
holds 'headers only: no toolkit' exits 3
run $home --headers
holds 'headers only: the headers' is "$deps/include"
run $home --wrong
holds 'an unknown option: exit 2' exits 2
finish
