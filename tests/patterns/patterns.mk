# One source for both: the executor's counts, and the GPU's (on-gpu.sh).
$(BUILD)/tests/patterns.o: tests/patterns/patterns.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	@mkdir -p $(@D)
	@$(CXX) $(SIMT_CXXFLAGS_TRACE) -c -o $@ $<
$(BUILD)/tests/patterns: $(BUILD)/tests/patterns.o $(SIMT_OBJECTS)
	@$(CXX) -o $@ $^ $(SIMT_LDFLAGS)
$(BUILD)/tests/patterns-gpu: tests/patterns/patterns.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$(ARCH)) -o $@ $<
TEST_NEEDS += $(BUILD)/tests/patterns
