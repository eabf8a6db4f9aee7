# What the tests run.

TEST_PROGRAMS :=
TEST_NEEDS := # what test scripts run
MORE_NEEDS := # what those of check-more run, too

# The first says with which compilers and flags.
include tests/harness/harness.mk
include $(filter-out tests/harness/harness.mk,$(wildcard tests/*/*.mk))

.PHONY: need-tests need-more
need-tests: $(TEST_PROGRAMS) $(TEST_NEEDS) $(TOOLS) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/instrumented/$s/default/program)
	@mkdir -p $(BUILD)/tests && printf '%s\n' $(TEST_PROGRAMS) \
	  >$(BUILD)/tests/programs
need-more: $(MORE_NEEDS)
