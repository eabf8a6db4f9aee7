# The kernels' fragment maps, on the executor, and on a GPU where there is one.
FRAGMENTS := $(BUILD)/tests/fragments
$(FRAGMENTS).o: tests/fragments/fragments.cu $(TOOLCHAIN) | $(SIMT_HEADERS) \
    need-headers
	@mkdir -p $(@D)
	@$(CXX) $(SIMT_CXXFLAGS_PLAIN) -MMD -MP -c -o $@ $<
$(FRAGMENTS): $(FRAGMENTS).o $(SIMT_OBJECTS)
	@$(CXX) -o $@ $^ $(SIMT_LDFLAGS)
$(FRAGMENTS)-gpu: tests/fragments/fragments.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$(ARCH)) -o $@ $<
TEST_PROGRAMS += $(FRAGMENTS) $(if $(filter gpu,$(BEST)),$(FRAGMENTS)-gpu)
