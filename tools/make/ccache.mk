# Where ccache is, gcc, g++ and nvcc compile a file once for this tree and all
# copies of it, of which the tests make many. What it keeps lies in build/ccache,
# unless CCACHE_DIR names another place; CCACHE_DISABLE=1 does without.

CCACHE := $(shell command -v ccache 2>/dev/null)
# Debian's and Fedora's folders of links that are named like the compilers.
CCACHE_LINKS := $(if $(CCACHE),$(firstword \
  $(wildcard /usr/lib/ccache /usr/lib64/ccache)))
ifneq ($(CCACHE_LINKS),)
ifeq ($(filter $(CCACHE_LINKS),$(subst :, ,$(PATH))),)
export PATH := $(CCACHE_LINKS):$(PATH)
endif
export CCACHE_DIR ?= $(CURDIR)/$(BUILD)/ccache
export CCACHE_MAXSIZE ?= 2G
# The rules map this folder's name to a dot wherever an object would have it.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# What it keeps of a file is found by the file's content, not by its number.
export CCACHE_NOINODECACHE := 1
endif
# It knows nvcc -c; a cubin it passes on.
NVCC_C := $(if $(CCACHE_LINKS),ccache )$(NVCC)
