TEST_NEEDS += $(FLOOR_MODEL) $(BUILD)/cpu/floor/program \
  $(BUILD)/instrumented/floor/program
