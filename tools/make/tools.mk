# The tools in C.

COMPARE := $(BUILD)/tools/compare
BOUNDS := $(BUILD)/tools/bounds
NUMBER := $(BUILD)/tools/number
$(COMPARE): tools/compare/compare.c
$(NUMBER): tools/results/number.c
$(BOUNDS): tools/profile/bounds.c $(addprefix common/harness/problem/,shape.c \
  shape_text.c settings.c) common/harness/settings.json
$(COMPARE) $(BOUNDS) $(NUMBER): common/harness/program/reason.c \
    common/harness/record/results.c $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CC) $(CFLAGS) -MF $@.d -o $@ $(filter %.c,$^) -ljansson -lm
