# make check-all: everything that can be checked here, in one list.

TEST_PROGRAMS :=
TEST_NEEDS := # what test scripts run

# The first says with which compilers and flags.
include tests/harness/harness.mk
include $(filter-out tests/harness/harness.mk,$(wildcard tests/*/*.mk))

TEST_SCRIPTS := $(sort $(wildcard tests/*/*.test.sh tests/*/*.test.lua))

# The programs that count again what is recorded in STAGE.ARM.count.json.
RECORDED := $(sort $(patsubst %.count.json,%,$(notdir \
  $(filter-out results/cpu-executor/%,$(wildcard results/*/*/*.count.json)))))
TEST_NEEDS += $(if $(filter need-tests,$(MAKECMDGOALS)),$(if $(RECORDED),\
  $(foreach a,$(call ask_toggles,of-file $(RECORDED)),\
  $(call program,instrumented,$a))))

.PHONY: check-all test need-tests reproduce
need-tests: $(RUNNER) $(TEST_PROGRAMS) $(TEST_NEEDS) $(TOOLS) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/instrumented/$s/default/program)
# Builds on all cores, unless the reader said on how many.
check-all test:
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) \
	  need-tests
	@tests/run.sh --draw $(TEST_PROGRAMS) $(TEST_SCRIPTS)

# Two builds in two folders must give the same bytes.
reproduce:
	@tests/run.sh tests/goals/reproduce.test.lua tests/more/book.more.lua
