# What plants mistakes in kernels, and takes their barriers away.
PLANT := $(BUILD)/tests/plant
$(PLANT): $(addprefix tests/races/,plant.c mistakes.c mistakes.h findings.c \
    findings.h) $(SOURCE_LIBRARY) $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	$(SHOW)$(CC) $(CFLAGS) -MF $@.d -o $@ $(filter %.c,$^) -ljansson
TEST_NEEDS += $(PLANT)
