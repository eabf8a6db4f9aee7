TEST_NEEDS += $(BUILD)/cpu/floor/program \
  $(BUILD)/instrumented/floor/program
