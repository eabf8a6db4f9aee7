# The experiments of the chapter on mistakes:
#   make fooled                          all of them
#   make fooled EXPERIMENT=one-tick      one
LINEAR_CODES := $(BUILD)/tests/linear_codes
$(LINEAR_CODES): tests/fooled/linear_codes.c $(SIMT_OBJECTS) $$(PLAIN_HARNESS)
	$(building)$(CC) $(TEST_FLAGS) -O3 -fopenmp -o $@ $< $(filter %.o,$^) \
	  $(TEST_LIBRARIES)

FOOLED_NEEDS := $(LINEAR_CODES) $(BUILD)/tests/impostors \
  $(BUILD)/tests/fast_exp \
  $(foreach t,cpu instrumented,$(foreach s,$(filter stage1_% \
  stage3_%,$(STAGES)),\
  $(BUILD)/$t/$s/default/program))
TEST_NEEDS += $(FOOLED_NEEDS)

.PHONY: fooled-needs
fooled-needs: $(FOOLED_NEEDS)
