# The polynomial exponential, on the executor, and on a GPU where there is one.
$(eval $(call cuda_test,fast_exp,$(SIMT_CXXFLAGS_PLAIN)))
TEST_PROGRAMS += $(call on_each_target,fast_exp)
