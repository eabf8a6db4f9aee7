# What the tests run.

TEST_PROGRAMS :=
TEST_NEEDS := $(LIMITED) $(BUILD)/tools/draw $(SCALES) $(addprefix \
  $(BUILD)/cpu/stage2_wmma_pv/default/,attempt judge) \
  $(BUILD)/cpu/floor/program $(BUILD)/instrumented/floor/program

# A test in one .cu file, tests/FOLDER/NAME.cu: $(BUILD)/tests/NAME for the
# executor, compiled with these flags of simt.mk, and NAME-gpu.
#   $(eval $(call cuda_test,FOLDER/NAME,FLAGS))
define cuda_test
$(BUILD)/tests/$(notdir $1).o: tests/$1.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$$(building)$(CXX) $2 -MMD -MP -c -o $$@ $$<
$(BUILD)/tests/$(notdir $1): $(BUILD)/tests/$(notdir $1).o $(SIMT_OBJECTS)
	@$(CXX) -o $$@ $$^ $(SIMT_LDFLAGS)
$(BUILD)/tests/$(notdir $1)-gpu: tests/$1.cu $(TOOLCHAIN) | need-nvcc
	$$(building)$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$(ARCH)) -o $$@ \
	  $$(filter %.cu %.o,$$^)
endef

# The first says with which compilers and flags.
include tests/harness/harness.mk
include $(filter-out tests/harness/harness.mk,$(wildcard tests/*/*.mk))

.PHONY: need-tests
need-tests: $(TEST_PROGRAMS) $(TEST_NEEDS) $(TOOLS) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/instrumented/$s/default/program)
	@mkdir -p $(BUILD)/tests && printf '%s\n' $(TEST_PROGRAMS) \
	  >$(BUILD)/tests/programs
