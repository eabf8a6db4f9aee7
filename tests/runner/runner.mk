# What runs the tests, and adds them up.
RUNNER := $(BUILD)/tests/run
$(RUNNER): $(wildcard tests/runner/*.[ch]) $(TOOLCHAIN)
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O2 -g -Wall -Wextra -Werror -I. -o $@ $(filter %.c,$^)
