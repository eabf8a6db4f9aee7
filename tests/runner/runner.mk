# What runs the tests, and adds them up.
RUNNER := $(BUILD)/tests/run
$(RUNNER): $(wildcard tests/runner/*.[ch]) $(wildcard \
    common/harness/program/*.[ch]) $(addprefix common/harness/record/,\
    results.c figures.c) $(TOOLCHAIN)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -MF $@.d -o $@ $(filter %.c,$^) -ljansson -lm
