# What kernels include and how lanes share memory, on the executor, and on a GPU
# where there is one.

on_each_target = $(BUILD)/tests/$1 $(if $(filter gpu,$(HERE)),\
  $(BUILD)/tests/$1-gpu)

# The polynomial exponential, and the map of an accumulator.
$(eval $(call cuda_test,device/fast_exp,$(SIMT_CXXFLAGS_PLAIN)))
$(eval $(call cuda_test,device/fragments,$(SIMT_CXXFLAGS_PLAIN)))
TEST_PROGRAMS += $(call on_each_target,fragments) \
  $(call on_each_target,fast_exp)

# One source for both: the executor's counts, and the GPU's (patterns.py).
$(eval $(call cuda_test,device/patterns,$(SIMT_CXXFLAGS_INSTRUMENTED)))
TEST_NEEDS += $(BUILD)/tests/patterns

# The tile of K in each of stage 2's layouts, by the kernel's own code.
LAYOUT_nothing := -DUSE_PADDING=0
LAYOUT_padding := -DUSE_PADDING=1
LAYOUT_swizzle := -DUSE_PADDING=0 -DUSE_XOR_SWIZZLE=1
LAYOUT_PROGRAMS := $(addprefix $(BUILD)/tests/layout/,nothing padding swizzle)

$(LAYOUT_PROGRAMS:=.o): $(BUILD)/tests/layout/%.o: tests/device/layout.cu \
    $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_PLAIN) $(LAYOUT_$*) -MMD -MP -c -o $@ $<
$(LAYOUT_PROGRAMS): %: %.o $(SIMT_OBJECTS)
	@$(CXX) -o $@ $^ $(SIMT_LDFLAGS)
TEST_NEEDS += $(LAYOUT_PROGRAMS)
