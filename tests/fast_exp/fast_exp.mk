# The polynomial exponential, on the executor, and on a GPU where there is one.
FAST_EXP := $(BUILD)/tests/fast_exp
$(FAST_EXP).o: tests/fast_exp/fast_exp.cu $(TOOLCHAIN) | $(SIMT_HEADERS) \
    need-headers
	@mkdir -p $(@D)
	@$(CXX) $(SIMT_CXXFLAGS_PLAIN) -MMD -MP -c -o $@ $<
$(FAST_EXP): $(FAST_EXP).o $(SIMT_OBJECTS)
	@$(CXX) -o $@ $^ $(SIMT_LDFLAGS)
$(FAST_EXP)-gpu: tests/fast_exp/fast_exp.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$(ARCH)) -o $@ $<
TEST_PROGRAMS += $(FAST_EXP) $(if $(filter gpu,$(BEST)),$(FAST_EXP)-gpu)
