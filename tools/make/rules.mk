# How everything is built: make makes files, and nothing that a reader types is
# read here. here.py starts this with HERE=gpu or cpu, ARCH=90a, CC, CXX, CUDA,
# CUDA_INCLUDE, V=1 to show the commands, and TARGETS.

.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:
BUILD := build
# Before a command: one short line for each thing built
define building
@mkdir -p $(@D)
@$(if $(V),:,echo "  building $@")
$(if $(V),,@)
endef
comma := ,
empty :=
space := $(empty) $(empty)
define newline


endef

NVCC := $(CUDA)/bin/nvcc
# ccache knows nvcc -c; a cubin it passes on.
NVCC_C := $(if $(CCACHE_BASEDIR),ccache )$(NVCC)
gencode = -gencode arch=compute_$1,code=sm_$1

.PHONY: targets need-headers need-nvcc FORCE
targets: $(TARGETS) ; @:
need-headers:
	@test -n '$(CUDA_INCLUDE)' || { echo "CUDA's headers are missing:\
	 'make setup' installs them." >&2; exit 3; }
need-nvcc:
	@test -n '$(CUDA)' || { echo "This needs nvcc 12.8 or newer: 'make setup'\
	 installs one, or set CUDA_HOME." >&2; exit 3; }

# Where the stages lie. Those that are no kernel alone have rules of their own.
STAGES := $(notdir $(patsubst %/kernel.cu,%,\
  $(wildcard stage[0-9]*_*/kernel.cu further/stage[0-9]*_*/kernel.cu)))
OTHER_STAGES := $(notdir $(patsubst %/stage.mk,%,$(wildcard \
  stage[0-9]*_*/stage.mk further/*/stage.mk)))
STAGES := $(filter-out $(OTHER_STAGES),$(STAGES))
FURTHER := $(notdir $(wildcard further/*))
folder_of = $(if $(filter $1,$(FURTHER)),further/)$(strip $1)

include $(addprefix tools/make/,flags.mk stages.mk tools.mk) \
  tools/labs/labs.mk tools/timeline/timeline.mk floor/floor.mk \
  libfp8attention/library.mk \
  $(foreach s,$(OTHER_STAGES),$(call folder_of,$s)/stage.mk) \
  tools/labs/ring/ring.mk tools/make/commands.mk tests/tests.mk
# One that a full disk has cut off lacks the end of its last line.
-include $(shell find $(BUILD) -name '*.d' -exec grep -lzP '\n\z' {} + \
  2>/dev/null)

# With -B, make asks here for the sources, too; and, where something older was
# built, for those that have moved or gone since.
.DEFAULT:
	@[ -e '$@' ] || case '$(@:build/%=)' in *.c | *.cu) ;; *) \
	  echo "Nothing is known of '$@'." >&2; exit 2 ;; esac
