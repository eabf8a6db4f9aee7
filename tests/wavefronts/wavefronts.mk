# For the widget of bank conflicts: what the executor counts at any addresses.
$(eval $(call cuda_test,wavefronts,$(SIMT_CXXFLAGS_TRACE)))
TEST_NEEDS += $(BUILD)/tests/wavefronts
