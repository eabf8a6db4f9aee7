TEST_NEEDS += $(FLOOR_MODEL) $(FLOOR_SHOW) $(BUILD)/cpu/floor/program \
  $(BUILD)/instrumented/floor/program
