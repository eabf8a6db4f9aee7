# make check-all: everything that can be checked here, in one list.

TEST_PROGRAMS :=
TEST_NEEDS := # what test scripts run

# A test in one .cu file: tests/NAME/NAME.cu, for the executor, compiled with
# these flags of simt.mk, and for a GPU.
#   $(eval $(call cuda_test,NAME,FLAGS))
define cuda_test
$(BUILD)/tests/$1.o: tests/$1/$1.cu $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	@mkdir -p $$(@D)
	@$(CXX) $2 -MMD -MP -c -o $$@ $$<
$(BUILD)/tests/$1: $(BUILD)/tests/$1.o $(SIMT_OBJECTS)
	@$(CXX) -o $$@ $$^ $(SIMT_LDFLAGS)
$(BUILD)/tests/$1-gpu: tests/$1/$1.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $$(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$(ARCH)) -o $$@ $$<
endef
on_each_target = $(BUILD)/tests/$1 $(if $(filter gpu,$(BEST)),\
  $(BUILD)/tests/$1-gpu)

include $(wildcard tests/*/*.mk)

TEST_SCRIPTS := $(sort $(wildcard tests/*/*.test.sh))

# The programs that count again what is recorded in STAGE.ARM.count.json.
RECORDED := $(sort $(patsubst %.count.json,%,$(notdir \
  $(filter-out results/cpu-executor/%,$(wildcard results/*/*/*.count.json)))))
stage_of = $(firstword $(subst ., ,$1))
recorded_arm = $(call stage_of,$1)/$(or $(patsubst \
  $(call stage_of,$1).%,%,$(filter-out $(call stage_of,$1),$1)),default)
TEST_NEEDS += $(foreach r,$(RECORDED),$(call program,trace,$(call \
  recorded_arm,$r)))

.PHONY: check-all test need-tests reproduce
need-tests: $(TEST_PROGRAMS) $(TEST_NEEDS) $(COMPARE) $(VERDICT) $(FIGURE) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/trace/$s/default/program)
# Builds on all cores, unless the reader said on how many.
check-all test:
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) \
	  need-tests
	@tests/run.sh $(TEST_PROGRAMS) $(TEST_SCRIPTS)

# Two builds in two folders must give the same bytes.
reproduce:
	@tests/run.sh tests/goals/reproduce.test.sh
