# What is here: compilers, CUDA, a GPU; and what is said where one is missing.

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
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

.PHONY: need-headers need-nvcc need-gpu FORCE
need-headers:
	@test -n '$(CUDA_INCLUDE)' || { echo "CUDA's headers are missing:\
	 'make setup' installs them." >&2; exit 3; }
need-nvcc:
	@test -n '$(CUDA)' || { echo "This needs nvcc 12.8 or newer: 'make setup'\
	 installs one, or set CUDA_HOME." >&2; exit 3; }
