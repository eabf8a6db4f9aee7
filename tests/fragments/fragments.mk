# The kernels' fragment maps, on the executor, and on a GPU where there is one.
$(eval $(call cuda_test,fragments,$(SIMT_CXXFLAGS_PLAIN)))
TEST_PROGRAMS += $(call on_each_target,fragments)
