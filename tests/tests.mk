# make check-all: everything that can be checked here, in one list.

TEST_PROGRAMS :=
TEST_NEEDS := # what test scripts run
include $(wildcard tests/*/*.mk)

TEST_SCRIPTS := $(sort $(wildcard tests/*/*.test.sh))

.PHONY: check-all test reproduce
check-all test: $(TEST_PROGRAMS) $(TEST_NEEDS) $(COMPARE) $(VERDICT) $(FIGURE) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/trace/$s/default/program)
	@tests/run.sh $(TEST_PROGRAMS) $(TEST_SCRIPTS)

# Two builds in two folders must give the same bytes.
reproduce:
	@tests/run.sh tests/goals/reproduce.test.sh
