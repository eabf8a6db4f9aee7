# How the goals of the Makefile are built and run. One pattern serves every
# stage: a new folder stageN_name with kernel.cu and driver.c needs no edit here.

# ---- what was asked for -----------------------------------------------------

SETTINGS := SHAPES SEEDS DISTRIBUTIONS ITERS TARGET ARCH AGAINST JSON FLUSH_L2 \
  GATE CC CXX CUDA_HOME LOCKED PORT V EXPERIMENT
TARGET ?= auto
BUILD := build
# One short line for each thing built; V=1 shows the commands.
SHOW := $(if $(V),,@)
say = @$(if $(V),true,echo "  building $@")
comma := ,
empty :=
space := $(empty) $(empty)

STAGES := $(sort $(wildcard stage[0-9]*_*))
full_name = $(filter $1 $1_%,$(STAGES))
STAGE_GOALS := $(STAGES) $(foreach s,$(STAGES),$(firstword $(subst _, ,$s)))
PICKED := $(filter $(STAGE_GOALS),$(MAKECMDGOALS))
SELECTED := $(sort $(if $(PICKED),$(foreach p,$(PICKED),$(call full_name,$p)),\
  $(STAGES)))
VERBS := check bench count race resources compare profile tune peers timeline
ASKED := $(filter $(VERBS),$(MAKECMDGOALS))
export PICKED GATE SHAPES ITERS CC CXX

# Whatever else was set on the command line must be a toggle of each stage.
name_of = $(firstword $(subst =, ,$1))
# Make puts a backslash before a blank inside a value.
TOGGLES := $(foreach v,$(subst \$(space),+,$(MAKEOVERRIDES)),\
  $(if $(filter $(SETTINGS),$(call name_of,$v)),,$v))
# In the environment a toggle would have no effect, and nobody would notice.
KNOWN_TOGGLES := $(shell sed -n 's,^// toggle \([A-Z0-9_]*\):.*,\1,p' \
  $(STAGES:%=%/kernel.cu) | sort -u)
LOST := $(strip $(foreach t,$(KNOWN_TOGGLES),\
  $(if $(filter environment,$(origin $t)),$t)))
$(if $(LOST),$(error The environment sets $(LOST), which has no effect there: \
  write it after make, as in 'make stage1 check USE_CP_ASYNC=0'))
# What an arm is called is known by one program; without a toggle nobody asks.
ask_toggles = $(shell CC='$(CC)' tools/toggles/toggles.sh $1)
arm_of = $(if $(strip $2),$(or $(call ask_toggles,arm $1 $2),\
  $(error stopped)),default)
stage_arm = $1/$(call arm_of,$1,$2)
ARMS := $(foreach s,$(SELECTED),$(call stage_arm,$s,$(TOGGLES)))

# AGAINST="stage0 USE_CP_ASYNC=0,LOAD_BYTES=1": arms to time in turn with each.
first_part = $(firstword $(subst :, ,$1))
against_arm = $(if $(call full_name,$(call first_part,$2)),$(call stage_arm,\
  $(call full_name,$(call first_part,$2)),$(subst $(comma), ,$(word 2,$(subst \
  :, ,$2)))),$(call stage_arm,$1,$(subst $(comma), ,$2)))
AGAINST_ARMS := $(strip $(foreach s,$(SELECTED),$(foreach a,$(AGAINST),\
  $(call against_arm,$s,$a))))

# ---- what is here -----------------------------------------------------------

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
ifeq ($(TARGET),auto)
BEST := $(if $(and $(CUDA),$(CAPABILITY)),gpu,cpu)
else
BEST := $(TARGET)
endif

# Hopper's own instructions need the architecture's name with an a.
ARCH ?= $(patsubst 90,90a,$(or $(CAPABILITY),90))
export ARCH
gencode = -gencode arch=compute_$1,code=sm_$1

include tools/make/ccache.mk

# ---- flags ------------------------------------------------------------------

SAME_PATHS := -ffile-prefix-map=$(CURDIR)=.
CFLAGS := -std=c11 -D_GNU_SOURCE -O3 -g -fPIC -fopenmp -Wall -Wextra -Werror \
  -I. -isystem $(CUDA_INCLUDE) $(SAME_PATHS) -MMD -MP
# Note 128, "loop is not reachable": toggles leave parts of a kernel out.
NVCC_FLAGS := -std=c++17 -O3 -I. -ccbin $(CXX) -Xcompiler -fPIC \
  -diag-suppress 128 \
  -Xcompiler $(SAME_PATHS) --objdir-as-tempdir
NVCC_SHOWN := nvcc -std=c++17 -O3 $(call gencode,$(ARCH))
include common/simt/simt.mk
SIMT_SHOWN := g++ -std=c++17 -O2

# stage1_cp_async/USE_CP_ASYNC-0.LOAD_BYTES-1 -> its parts
stage_part = $(firstword $(subst /, ,$1))
arm_part = $(word 2,$(subst /, ,$1))
defines = $(if $(filter-out default,$(call arm_part,$1)),\
  $(call ask_toggles,defines $(call arm_part,$1)))

# ---- objects and programs ---------------------------------------------------

# A folder a concern; a concern's gpu/ and cpu/ hold what differs by target.
HARNESS_SOURCES := $(filter-out common/harness/object/%,\
  $(wildcard common/harness/*/*.c))
harness_objects = $(patsubst common/harness/%.c,$(BUILD)/$1/harness/%.o,\
  $(HARNESS_SOURCES) $(wildcard common/harness/*/$1/*.c))
GPU_HARNESS := $(call harness_objects,gpu) $(BUILD)/gpu/harness/empty_kernel.o
CPU_HARNESS := $(call harness_objects,cpu)
LIBRARIES := -ljansson -lpthread -ldl -lrt -lm -fopenmp

.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:

# The commands that built everything here: when one changes, all is built anew.
TOOLCHAIN := $(BUILD)/toolchain
$(TOOLCHAIN): FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(CC) $(CXX) $(CFLAGS)' \
	  '$(CUDA) $(NVCC_FLAGS) $(ARCH)' \
	  '$(SIMT_CXXFLAGS_PLAIN) $(SIMT_CXXFLAGS_TRACE) $(SIMT_LDFLAGS)' | \
	  sed 's|=$(CURDIR)=|=.=|g' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:

# C is compiled the same way for both targets.
define harness_rule
$(BUILD)/$1/harness/%.o: common/harness/%.c common/harness/settings.json \
    $(TOOLCHAIN) | need-headers
	@mkdir -p $$(@D)
	$$(call say)
	$$(SHOW)$(CC) $(CFLAGS) -c -o $$@ $$<
endef
$(foreach t,gpu cpu,$(eval $(call harness_rule,$t)))

define driver_rule
$(BUILD)/$1/%/driver.o: $$$$(call stage_part,$$$$*)/driver.c $(TOOLCHAIN) \
    | need-headers
	@mkdir -p $$(@D)
	$$(call say)
	$$(SHOW)$(CC) $(CFLAGS) -c -o $$@ $$<
endef
$(foreach t,gpu cpu trace,$(eval $(call driver_rule,$t)))

$(BUILD)/gpu/harness/empty_kernel.o: common/device/interface/empty_kernel.cu \
    $(TOOLCHAIN) | need-nvcc
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,$(ARCH)) -c -o $@ $<

$(BUILD)/gpu/%/kernel.o: $$(call stage_part,$$*)/kernel.cu $(TOOLCHAIN) \
    | $$(call need_arch,$$(call stage_part,$$*),$(ARCH)) need-nvcc
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,$(ARCH)) $(call defines,$*) \
	  -MMD -MP -c -o $@ $<

$(BUILD)/cpu/%/kernel.o: $$(call stage_part,$$*)/kernel.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CXX) $(SIMT_CXXFLAGS_PLAIN) $(call defines,$*) -MMD -MP -c -o $@ $<

$(BUILD)/trace/%/kernel.o: $$(call stage_part,$$*)/kernel.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CXX) $(SIMT_CXXFLAGS_TRACE) $(call defines,$*) -MMD -MP -c -o $@ $<

# What an object says about itself: stage, arm, kernel hash, compiler, flags.
object_info = -DSTAGE='"$(call stage_part,$1)"' -DARM='"$(call arm_part,$1)"' \
  -DKERNEL_HASH="\"$$(tools/results/kernel-hash.sh $(call stage_part,$1))\"" \
  -DFLAGS='"$(strip $2 $(call defines,$1))"' \
  -DCOMPILER="\"$$($3 --version | grep -E 'release|[gG]\+\+|clang' | head -n 1)\""
$(BUILD)/gpu/%/object.o: common/harness/object/object.c $(BUILD)/gpu/%/kernel.o
	@$(CC) $(CFLAGS) $(call object_info,$*,$(NVCC_SHOWN),$(NVCC)) -c -o $@ $<
$(BUILD)/cpu/%/object.o: common/harness/object/object.c $(BUILD)/cpu/%/kernel.o
	@$(CC) $(CFLAGS) $(call object_info,$*,$(SIMT_SHOWN),$(CXX)) -c -o $@ $<
$(BUILD)/trace/%/object.o: common/harness/object/object.c \
    $(BUILD)/trace/%/kernel.o
	@$(CC) $(CFLAGS) $(call object_info,$*,$(SIMT_SHOWN),$(CXX)) -c -o $@ $<

$(BUILD)/gpu/%/program: $(addprefix $(BUILD)/gpu/%/,kernel.o object.o driver.o) \
    $(GPU_HARNESS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ -L$(CUDA)/lib64 -lcudart_static $(LIBRARIES)

$(BUILD)/gpu/%/kernel.so: $(addprefix $(BUILD)/gpu/%/,kernel.o object.o)
	$(call say)
	$(SHOW)$(CXX) -shared -Wl,-Bsymbolic -o $@ $^ -L$(CUDA)/lib64 -lcudart_static \
	  -lpthread -ldl -lrt

$(BUILD)/cpu/%/program: $(addprefix $(BUILD)/cpu/%/,kernel.o object.o driver.o) \
    $(CPU_HARNESS) $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

$(BUILD)/trace/%/program: $(addprefix $(BUILD)/trace/%/,kernel.o object.o \
    driver.o) $(CPU_HARNESS) $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

include tools/make/architectures.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: need-headers need-nvcc need-gpu FORCE
need-headers:
	@test -n '$(CUDA_INCLUDE)' || { echo "CUDA's headers are missing:\
	 'make setup' installs them." >&2; exit 3; }
need-nvcc:
	@test -n '$(CUDA)' || { echo "This needs nvcc 12.8 or newer: 'make setup'\
	 installs one, or set CUDA_HOME." >&2; exit 3; }

# ---- tools in C -------------------------------------------------------------

COMPARE := $(BUILD)/tools/compare
BOUNDS := $(BUILD)/tools/bounds
NUMBER := $(BUILD)/tools/number
$(COMPARE): tools/compare/compare.c
$(NUMBER): tools/results/number.c
$(BOUNDS): tools/profile/bounds.c $(addprefix common/harness/problem/,shape.c \
  shape_text.c settings.c) common/harness/settings.json
$(COMPARE) $(BOUNDS) $(NUMBER): common/harness/record/results.c $(TOOLCHAIN) \
    | need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CC) $(CFLAGS) -MF $@.d -o $@ $(filter %.c,$^) -ljansson -lm

# ---- stage goals and verbs --------------------------------------------------

program = $(BUILD)/$1/$2/program
HERE := $(if $(filter gpu cpu,$(BEST)),$(BEST),$(error TARGET is gpu or cpu, \
  not '$(TARGET)'))
BUILT := $(foreach a,$(ARMS),$(call program,$(HERE),$a))
TRACED := $(foreach a,$(ARMS),$(call program,trace,$a))
OTHERS := $(if $(filter gpu,$(HERE)),\
  $(foreach a,$(AGAINST_ARMS),$(BUILD)/gpu/$a/kernel.so))

include tools/source/source.mk
include tools/timeline/timeline.mk
include floor/floor.mk
NEEDED := $(sort $(if $(filter check bench,$(ASKED)),$(BUILT)) \
  $(if $(filter profile,$(ASKED)),$(BOUNDS) \
  $(if $(filter gpu,$(HERE)),$(BUILT))) \
  $(if $(filter bench,$(ASKED)),$(if $(filter cpu,$(HERE)),$(TRACED),$(OTHERS) \
  $(foreach a,$(ARMS) $(AGAINST_ARMS),$(BUILD)/gpu/$a/sm_$(ARCH).cubin))) \
  $(if $(filter tune,$(ASKED)),$(NUMBER) $(BUILT)) \
  $(if $(filter peers,$(ASKED)),$(if $(filter gpu,$(HERE)),$(BUILT) $(OTHERS) \
  $(FLOOR_MODEL) $(ARMS:%=$(BUILD)/gpu/%/kernel.so))) \
  $(if $(filter timeline,$(ASKED)),$(TIMELINE_NEEDED)) \
  $(if $(filter count race,$(ASKED)),$(TRACED)) \
  $(if $(filter race,$(ASKED)),$(BUILT)) \
  $(if $(filter resources,$(ASKED)),$(CUBINS) $(PTX)) \
  $(if $(filter compare,$(ASKED)),$(COMPARE)))

OPTIONS := $(foreach s,$(SHAPES),--shape $s) \
  $(if $(SEEDS),--seeds $(subst $(space),$(comma),$(strip $(SEEDS)))) \
  $(foreach d,$(DISTRIBUTIONS),--distribution $d) \
  $(if $(ITERS),--iters $(ITERS)) $(if $(filter 1,$(FLUSH_L2)),--flush-l2)

.PHONY: $(STAGE_GOALS) $(VERBS) verbs build
$(STAGE_GOALS): $(if $(ASKED),verbs,build) ; @:
build: $(FIRST) $(BUILT) $(if $(CUDA_INCLUDE),$(TRACED))
	@for p in $(BUILT); do echo "built $$p"; done
$(VERBS): verbs ; @:
verbs: $(FIRST) $(NEEDED)
	@tools/make/run-verbs.sh '$(ASKED)' '$(HERE)' '$(ARMS)' '$(AGAINST_ARMS)' \
	  '$(JSON)' $(OPTIONS)

# ---- the rest of the grammar ------------------------------------------------

include libfp8attention/library.mk
include book/book.mk
include tests/tests.mk

.PHONY: help doctor setup clean readme
help: $(if $(CUDA_INCLUDE),build)
	@tools/make/help.sh
doctor:
	@tools/doctor/doctor.sh
setup:
	@tools/setup/setup.sh
clean:
	rm -rf $(BUILD)
# The measured parts of README.md, from the results that the book cites.
readme:
	@tools/readme/readme.lua

# After a kernel's source has changed: which recorded results still hold.
.PHONY: carry
carry: | need-nvcc
	@tools/results/carry.sh $(shell sed -n \
	  's/^results: *//p' chapters/book.yaml) 90a

# make diff-stage1: what stage 1 changes against stage 0.
diff-%:
	@tools/diff/diff-stages.sh $* $(STAGES)

.DEFAULT:
	@case '$@' in \
	stage*) echo "There is no $@; the stages here: $(STAGES)." >&2;; \
	*) echo "There is no goal '$@'; 'make' alone lists them." >&2;; \
	esac; exit 2
