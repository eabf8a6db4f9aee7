# libfp8attention on the executor: gcc's sanitizers in its C, around a kernel
# that is instrumented.

LIBRARY_TEST := $(BUILD)/tests/library
LIBRARY_TESTS := $(addprefix $(LIBRARY_TEST)/,forward_test quantise_test)

$(LIBRARY_TEST)/%.o: tests/library/%.c $(TOOLCHAIN) | need-headers
	$(building)gcc $(SIMT_GCC_CHECKS) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<
$(LIBRARY_TEST)/%.o: libfp8attention/%.c $(TOOLCHAIN) | need-headers
	$(building)gcc $(SIMT_GCC_CHECKS) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<
$(LIBRARY_TEST)/%.k.o: libfp8attention/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_INSTRUMENTED) -MMD -MP -c -o $@ $<
# With the host's quantiser, which the kernels are compared with, and inputs.
$(LIBRARY_TESTS): %: %.o $(addprefix $(LIBRARY_TEST)/,$(LIBRARY_OBJECTS)) \
    $(addprefix $(BUILD)/cpu/harness/,cpu/device.o launch.o numbers.o problem.o \
    program.o settings.o) $(SIMT_OBJECTS)
	@$(CXX) $(SIMT_GCC_CHECKS) -o $@ $^ -lgomp $(SIMT_LDFLAGS) -lcmocka -lm

TEST_PROGRAMS += $(LIBRARY_TESTS)
TEST_NEEDS += $(if $(CUDA),$(LIBRARY))
