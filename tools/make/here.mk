# What is here: compilers, CUDA, a GPU; and what is said where one is missing.

# GCC builds the executor. Another compiler that dotfiles name is passed over;
# where it was written after make, that is an error.
is_gcc = $(shell $1 --version 2>/dev/null | grep 'Free Software Foundation')
compiler = $(if $(filter default,$(origin $1)),$2,$(if $(call is_gcc,$($1)),\
  $($1),$(if $(filter $1=%,$(MAKEOVERRIDES)),$(error $1 is '$($1)', and must be \
  a GCC of 11 or newer),$(shell echo "The environment's $1, which is no GCC, is\
 passed over." >&2)$2)))
override CC := $(strip $(call compiler,CC,gcc))
override CXX := $(strip $(call compiler,CXX,g++))
ifneq ($(word 2,$(CUDA_HOME)),)
$(error CUDA_HOME is '$(CUDA_HOME)', and make cannot use a path with a blank: \
  name a link to it that has none, or unset CUDA_HOME)
endif
export CUDA_HOME
CUDA := $(shell tools/setup/cuda-home.sh 2>/dev/null)
CUDA_INCLUDE := $(shell tools/setup/cuda-home.sh --headers 2>/dev/null)
NVCC := $(CUDA)/bin/nvcc
# nvidia-smi complains where the answer should be: only a number counts.
CAPABILITY := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
  2>/dev/null | head -n 1 | grep -xE '[0-9]+\.[0-9]+' | tr -d .)
# Of GPUs before 8.0 none runs the kernels: the program says so, if forced.
CAPABILITY := $(filter-out 2% 3% 5% 6% 7%,$(CAPABILITY))
BEST := $(or $(filter-out auto,$(TARGET)),$(if $(and \
  $(CUDA),$(CAPABILITY)),gpu,cpu))

# Hopper's own instructions need the architecture's name with an a.
ARCH ?= $(patsubst 90,90a,$(or $(CAPABILITY),90))
$(if $(call signs_in,$(ARCH))$(word 2,$(ARCH)),$(error ARCH is one \
  architecture, as in 90a, not '$(ARCH)'))
export ARCH
gencode = -gencode arch=compute_$1,code=sm_$1

.PHONY: need-headers need-nvcc need-python need-gpu FORCE
need-python:
	@command -v python3 >/dev/null || { echo "This needs python3: 'make setup'\
 installs it." >&2; exit 3; }
need-headers:
	@test -n '$(CUDA_INCLUDE)' || { echo "CUDA's headers are missing:\
	 'make setup' installs them." >&2; exit 3; }
need-nvcc:
	@test -n '$(CUDA)' || { echo "This needs nvcc 12.8 or newer: 'make setup'\
	 installs one, or set CUDA_HOME." >&2; exit 3; }
