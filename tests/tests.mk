# make check-all: everything that can be checked here, in one list.

TEST_PROGRAMS :=
TEST_NEEDS := # what test scripts run
MORE_NEEDS := # what those of check-more run, too

# A test in one .cu file, tests/FOLDER/NAME.cu: $(BUILD)/tests/NAME for the
# executor, compiled with these flags of simt.mk, and NAME-gpu.
#   $(eval $(call cuda_test,FOLDER/NAME,FLAGS))
define cuda_test
$(BUILD)/tests/$(notdir $1).o: tests/$1.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	@mkdir -p $$(@D)
	@$(CXX) $2 -MMD -MP -c -o $$@ $$<
$(BUILD)/tests/$(notdir $1): $(BUILD)/tests/$(notdir $1).o $(SIMT_OBJECTS)
	@$(CXX) -o $$@ $$^ $(SIMT_LDFLAGS)
$(BUILD)/tests/$(notdir $1)-gpu: tests/$1.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $$(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$(ARCH)) -o $$@ \
	  $$(filter %.cu %.o,$$^)
endef

# The first says with which compilers and flags.
include tests/harness/harness.mk
include $(filter-out tests/harness/harness.mk,$(wildcard tests/*/*.mk))

# The programs that count again what is recorded in STAGE.ARM.count.json, or
# under that name in a pack.
RECORDED = $(sort $(patsubst %.count.json,%,$(notdir $(filter-out \
  %/arms.count.json,$(wildcard results/nvidia-*/*/*.count.json))) $(shell \
  sed -n 's/^"\(.*\)": {$$/\1/p' /dev/null \
  $(wildcard results/nvidia-*/*/arms.count.json))))
TEST_NEEDS += $(if $(filter need-tests,$(MAKECMDGOALS)),$(if $(RECORDED),\
  $(foreach a,$(call ask_toggles,of-file $(RECORDED)),\
  $(call program,instrumented,$a))))

.PHONY: check-all check-more test need-tests reproduce
need-tests: $(TEST_PROGRAMS) $(TEST_NEEDS) $(TOOLS) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/instrumented/$s/default/program) | need-pytest
	@mkdir -p $(BUILD)/tests && printf '%s\n' $(TEST_PROGRAMS) \
	  >$(BUILD)/tests/programs
need-pytest:
	@[ -x .deps/tests/bin/pytest ] || { echo "pytest is not installed: make\
	 setup" >&2; exit 3; }
# Builds on all cores, unless the reader said on how many.
PYTEST := PYTHONDONTWRITEBYTECODE=1 .deps/tests/bin/python -m pytest \
  -c tests/pytest.ini tests -n $$(nproc)
check-all test check-more:
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) \
	  need-tests $(if $(filter check-more,$@),$(MORE_NEEDS))
	@$(PYTEST) $(if $(filter check-more,$@),--more) \
	  $(if $(ONLY),-k $(call quoted,$(ONLY)))

# All that a stage must pass before it is committed, and the labs on it.
labs_on = $(patsubst %.lab,[%],$(notdir $(shell grep -l '^stage: *$1$$' \
  labs/*/*.lab)))
accept_one = $(MAKE) --no-print-directory $1 check race resources && \
  $(MAKE) --no-print-directory mutants STAGE=$1 && for its in test check-more; \
  do $(MAKE) --no-print-directory $$its ONLY='$1 $(addprefix or \
  ,$(call labs_on,$1))' || exit; done
.PHONY: accept
accept:
	@$(if $(filter-out $(OTHER_GOALS),$(PICKED)),,echo "accept needs a stage of\
	 the ladder, as in 'make stage9 accept'." >&2; exit 2)
	@$(foreach s,$(SELECTED),$(call accept_one,$s) && ):

# Two builds in two folders must give the same bytes.
reproduce: need-pytest
	@$(PYTEST) --more -k reproduce
