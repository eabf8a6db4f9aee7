# make arithmetic: the sums of tensor cores on the executor and on a GPU, bit by
# bit. The rules are those of compute capability 9.0.

ARITHMETIC := $(BUILD)/tests/arithmetic
ARITHMETIC_HOST := $(addprefix $(BUILD)/tools/objects/,$(addprefix \
  tests/arithmetic/,run.o inputs.o) \
  common/harness/numbers.o common/harness/program.o)
ARITHMETIC_GPU := $(and $(filter gpu,$(HERE)),$(filter 90a,$(ARCH)))

$(ARITHMETIC)/products.o: tests/arithmetic/products.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_PLAIN) -MMD -MP -c -o $@ $<
$(ARITHMETIC)/products-gpu.o: tests/arithmetic/products.cu $(TOOLCHAIN) \
    | need-nvcc
	$(building)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,90a) -MMD -MP -c -o $@ $<
$(ARITHMETIC)/run: $(ARITHMETIC)/products.o $(ARITHMETIC_HOST) \
    $(BUILD)/cpu/harness/cpu/device.o $(SIMT_OBJECTS)
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) -lm
$(ARITHMETIC)/run-gpu: $(ARITHMETIC)/products-gpu.o $(ARITHMETIC_HOST) \
    $(BUILD)/gpu/harness/gpu/device.o
	$(building)$(CXX) -o $@ $^ -L$(CUDA)/lib64 -lcudart_static -lpthread -ldl -lrt \
	  -lm
ARITHMETIC_NEEDS := $(addprefix $(ARITHMETIC)/,run $(if \
  $(ARITHMETIC_GPU),run-gpu))
TEST_NEEDS += $(ARITHMETIC_NEEDS)
