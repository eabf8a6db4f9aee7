# What plants mistakes in kernels, and takes their barriers away.
PLANT := $(BUILD)/tests/plant
$(PLANT): $(patsubst %.c,$(BUILD)/tools/objects/%.o,tests/races/plant.c \
    $(EDITING_SOURCES))
	@mkdir -p $(@D)
	$(SHOW)$(CC) -o $@ $^
TEST_NEEDS += $(PLANT)
