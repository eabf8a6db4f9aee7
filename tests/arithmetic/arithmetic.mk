# make arithmetic: the sums of tensor cores on the executor and on a GPU, bit by
# bit. The rules are those of compute capability 9.0.

SUMS := $(BUILD)/tests/sums
SUMS_GPU := $(and $(filter gpu,$(HERE)),$(filter 90a,$(ARCH)),$(SUMS)-gpu)
$(eval $(call cuda_test,arithmetic/sums,$(SIMT_CXXFLAGS_PLAIN)))
$(SUMS) $(SUMS)-gpu: $(BUILD)/cpu/harness/numbers.o
TEST_NEEDS += $(SUMS) $(SUMS_GPU)

.PHONY: arithmetic
arithmetic: there = $(if $(SUMS_GPU),$(SUMS).there,tests/arithmetic/sample.txt)
arithmetic: $(SUMS) $(SUMS_GPU)
	@$(SUMS) $(SUMS).here
ifneq (,$(SUMS_GPU))
	@$(SUMS_GPU) $(there)
	@python3 tests/arithmetic/compare.py --record $(there) >$(SUMS).txt
else
	@echo "No GPU of compute capability 9.0 was used: this compares with\
	 $(there)."
endif
	@python3 tests/arithmetic/compare.py $(there) $(SUMS).here \
	  $(call quoted,$(or $(JSON),$(BUILD)/arithmetic))
