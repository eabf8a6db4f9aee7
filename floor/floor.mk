# The ceilings of this GPU, from small kernels.

FLOOR_COMMON := $(wildcard floor/*.c)
FLOOR_KERNELS := $(wildcard floor/kernels/*.cu)
# As among the stages, these are for some GPUs only.
FLOOR_LISTED := $(shell grep -l '^// architectures: ' $(FLOOR_KERNELS))
FLOOR_HERE := $(filter-out $(if $(filter 90a,$(ARCH)),,$(FLOOR_LISTED)),\
  $(FLOOR_KERNELS))

define floor_rules
$(BUILD)/$1/floor/%.o: floor/%.c $(TOOLCHAIN) | need-headers
	$$(building)$(CC) $(CFLAGS) -c -o $$@ $$<
$(BUILD)/$1/floor/main.o: floor/main.c $(wildcard floor/kernels/*.cu* \
    common/device/*/*.cuh) $(TOOLCHAIN) | need-headers
	$$(building)$$(call about_object,floor/default,$$($2),$$($3)) -c -o $$@ $$<
endef
$(eval $(call floor_rules,gpu,NVCC_SHOWN,NVCC))
$(eval $(call floor_rules,cpu,SIMT_SHOWN,CXX))

$(BUILD)/gpu/floor/%.k.o: floor/%.cu $(TOOLCHAIN) | need-nvcc
	$(building)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,$(ARCH)) -MMD -MP -c -o $@ $<
$(BUILD)/cpu/floor/%.k.o: floor/%.cu $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_PLAIN) -MMD -MP -c -o $@ $<
$(BUILD)/instrumented/floor/%.k.o: floor/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_INSTRUMENTED) -MMD -MP -c -o $@ $<

floor_host = $(patsubst floor/%.c,$(BUILD)/$1/floor/%.o,$(FLOOR_COMMON) \
  $(wildcard floor/$1/*.c))
floor_kernels = $(patsubst floor/%.cu,$(BUILD)/$1/floor/%.k.o,$2)
$(BUILD)/gpu/floor/program: $(call floor_host,gpu) \
    $(call floor_kernels,gpu,$(FLOOR_HERE)) \
    $(filter-out %/stage.o,$(GPU_HARNESS))
	$(building)$(CXX) -o $@ $^ -L$(CUDA)/lib64 -lcudart_static $(LIBRARIES)
$(BUILD)/cpu/floor/program: $(call floor_kernels,cpu,$(FLOOR_KERNELS))
$(BUILD)/instrumented/floor/program: $(call \
  floor_kernels,instrumented,$(FLOOR_KERNELS))
$(BUILD)/cpu/floor/program $(BUILD)/instrumented/floor/program: \
    $(call floor_host,cpu) $(filter-out %/stage.o,$(CPU_HARNESS)) \
    $(SIMT_OBJECTS)
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)
