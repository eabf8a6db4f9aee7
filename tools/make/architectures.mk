# Which GPUs a stage is for. A kernel that needs what only some of them have
# names those, as in `// architectures: 90a`; the others are for all.

ALL_ARCHS := 80 89 90a 100 120
# stage10_tma_ring:90a and so on
LISTED := $(shell awk '/^\/\/ architectures: / { \
  n = split(FILENAME, path, "/"); \
  for (i = 3; i <= NF; i++) print path[n - 1] ":" $$i }' \
  $(call kernels_of,$(STAGES)))
listed = $(patsubst $(book_stage):%,%,$(filter $(book_stage):%,$(LISTED)))
# lacks STAGE,ARCH: something, if the stage is not for it
lacks = $(and $(call listed,$1),$(if $(filter $2,$(call listed,$1)),,lacks))
or_between = $(subst $(space), or ,$(strip $1))
needs = needs compute capability $(call or_between,$(shell echo '$1' | \
  sed 's/\([0-9]*\)\([0-9]\)[a-z]*/\1.\2/g')) (ARCH=$(call or_between,$1))

# A prerequisite of what is built for ARCH, if it cannot be: need/STAGE/ARCH
need_arch = $(if $(call lacks,$1,$2),need/$1/$2)
need/%: FORCE
	@echo "$(*D) $(call needs,$(call listed,$(*D))); this build is for\
	 ARCH=$(*F). TARGET=cpu runs it on the CPU." >&2; exit 3

# Asked of all stages, a GPU runs those that it can.
FOR_GPU := $(and $(filter gpu,$(BEST)),$(if $(ASKED),$(filter-out count \
  resources compare,$(ASKED)),build))
LEFT_OUT := $(if $(PICKED),,$(if $(FOR_GPU),\
  $(foreach s,$(STAGES),$(if $(call lacks,$s,$(ARCH)),$s))))
ARMS := $(filter-out $(LEFT_OUT:%=%/%),$(ARMS))
.PHONY: left-out
left-out:
	@:$(foreach s,$(LEFT_OUT),; echo "$s is left out: it $(call needs,$(call \
	  listed,$s)); this build is for ARCH=$(ARCH).")
FIRST := left-out $(if $(FOR_GPU),$(sort $(foreach a,$(ARMS) \
  $(AGAINST_ARMS),$(call need_arch,$(call stage_part,$a),$(ARCH)))))

# Machine code and ptxas' own report, for one architecture: %/sm_90a.cubin
define cubin_rule
$(BUILD)/gpu/%/sm_$1.cubin: $$$$(call kernel_of,$$$$*)/kernel.cu \
    $(TOOLCHAIN) | $$$$(call need_arch,$$$$(call stage_part,$$$$*),$1) need-nvcc
	@mkdir -p $$(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$1) \
	  $$(call defines,$$*) -MMD -MP -Xptxas -v -cubin -o $$@ $$< 2>$$@.ptxas \
	  || { cat $$@.ptxas >&2; exit 1; }
endef
$(foreach a,$(sort $(ALL_ARCHS) $(ARCH)),$(eval $(call cubin_rule,$a)))

# What is read instead where there is no disassembler.
$(BUILD)/gpu/%/sm_$(ARCH).ptx: $$(call kernel_of,$$*)/kernel.cu $(TOOLCHAIN) \
    | need-nvcc
	@mkdir -p $(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) -arch=compute_$(ARCH) \
	  $(call defines,$*) -MMD -MP -ptx -o $@ $<

CUBINS := $(foreach a,$(ARMS),$(foreach c,$(or $(call listed,$(call \
  stage_part,$a)),$(ALL_ARCHS)),$(BUILD)/gpu/$a/sm_$c.cubin))
PTX := $(if $(shell tools/setup/disassembler.sh),,$(foreach a,$(ARMS),$(if $(call \
  lacks,$(call stage_part,$a),$(ARCH)),,$(BUILD)/gpu/$a/sm_$(ARCH).ptx)))
