# make scales: what each way to scale Q, K and V is worth, for the book. JSON= is
# the folder of scales.json.

SCALES := $(BUILD)/tools/scales
SCALES_OBJECTS := $(patsubst %.c,$(BUILD)/tools/objects/%.o,\
  $(wildcard tools/scales/*.c))
$(SCALES): $(SCALES_OBJECTS) $(patsubst common/harness/%.c,\
    $(BUILD)/cpu/harness/%.o,$(wildcard $(patsubst \
    %,common/harness/%/*.c,formats problem recorded program)) \
    $(addprefix common/harness/,judge/reference.c device/phases.c \
    record/results.c record/figures.c))
	$(call say)
	$(SHOW)$(CC) -o $@ $^ -ljansson -lm -ldl -fopenmp

.PHONY: scales
scales: $(SCALES)
	@$(SCALES) $(if $(JSON),$(call quoted,$(JSON)),results)
