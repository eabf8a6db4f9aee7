# What plants mistakes in kernels, and takes their barriers away.
PLANT := $(BUILD)/tests/plant
$(PLANT): $(patsubst %.c,$(BUILD)/tools/objects/%.o,$(wildcard \
    tests/races/*.c) $(EDITING_SOURCES))
	@mkdir -p $(@D)
	$(SHOW)$(CC) -o $@ $^ -ljansson
TEST_NEEDS += $(PLANT)
