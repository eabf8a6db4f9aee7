# One source for both: the executor's counts, and the GPU's (on-gpu.sh).
$(eval $(call cuda_test,patterns,$(SIMT_CXXFLAGS_TRACE)))
TEST_NEEDS += $(BUILD)/tests/patterns
