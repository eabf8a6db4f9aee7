# make arithmetic: the sums of tensor cores on the executor and on a GPU, bit by
# bit. The rules are those of compute capability 9.0.

SUMS := $(BUILD)/tests/sums
$(eval $(call cuda_test,arithmetic/sums,$(SIMT_CXXFLAGS_PLAIN)))
$(SUMS) $(SUMS)-gpu: $(BUILD)/cpu/harness/numbers.o
TEST_NEEDS += $(SUMS) $(and $(filter gpu,$(HERE)),$(filter 90a,$(ARCH)),\
  $(SUMS)-gpu)
