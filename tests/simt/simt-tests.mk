# Tests of the CPU executor: a program that runs kernels by name, with
# instrumented kernels, with plain ones, with a runtime that checks itself, and
# for a GPU; and programs with their own main.

SIMT_TEST := $(BUILD)/tests/simt
SIMT_KERNELS := counting races sync flags matrix hopper stops wrappers
simt_kernels = $(foreach k,$2,$(SIMT_TEST)/$1/$k.o)

$(SIMT_TEST)/%.o: tests/simt/%.c $(TOOLCHAIN) | need-headers
	$(building)$(CC) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<
$(SIMT_TEST)/driver-gpu.o: tests/simt/driver.c $(TOOLCHAIN) | need-headers
	$(building)$(CC) $(SIMT_CFLAGS) -DON_GPU -MMD -MP -c -o $@ $<

define simt_kernel
$(SIMT_TEST)/$1/%.o: tests/simt/kernels/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$$(building)$(CXX) $2 -MMD -MP -c -o $$@ $$<
endef
$(eval $(call simt_kernel,instrumented,$(SIMT_CXXFLAGS_BOUNDS)))
$(eval $(call simt_kernel,plain,$(SIMT_CXXFLAGS_PLAIN)))

# Programs with a main of their own, as a reader's are.
$(SIMT_TEST)/programs/host.o: tests/simt/programs/host.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_BOUNDS) \
	  -include common/simt/host/program.h -MMD -MP -c -o $@ $<
$(SIMT_TEST)/program: $(SIMT_TEST)/programs/host.o $(SIMT_OBJECTS)

$(SIMT_TEST)/driver: $(SIMT_TEST)/driver.o \
    $(call simt_kernels,instrumented,$(SIMT_KERNELS)) $(SIMT_OBJECTS)
$(SIMT_TEST)/driver_plain: $(SIMT_TEST)/driver.o \
    $(call simt_kernels,plain,$(SIMT_KERNELS)) $(SIMT_OBJECTS)
$(addprefix $(SIMT_TEST)/,driver driver_plain driver_ptx program):
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS)

# The wrappers by their PTX, which the executor reads as that of any program.
PTX_KERNELS := wrappers hopper sync
$(SIMT_TEST)/ptx/%.o: tests/simt/kernels/%.cu tests/simt/as_ptx.py \
    $(wildcard common/device/ptx/*) $(wildcard tools/program/*.py) \
    $(wildcard common/simt/host/*.h) $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	@tests/simt/as_ptx.py $(@D)/$* $<
	$(building)$(CXX) $(SIMT_CXXFLAGS_BOUNDS) $(PROGRAM_FLAGS) -c -o $@ $(@D)/$*/$(<F)
$(SIMT_TEST)/driver_ptx: $(SIMT_TEST)/driver.o \
    $(call simt_kernels,ptx,$(PTX_KERNELS)) $(SIMT_OBJECTS)

# The runtime again, with gcc's sanitizers. They see the C alone: the kernels
# wrap around on purpose. Stacks are left out, for a fibre that is abandoned
# would leave its forbidden zones behind.
SIMT_GCC_CHECKS := -fsanitize=address,undefined -fno-sanitize-recover=all \
  --param asan-stack=0
$(SIMT_TEST)/gcc/%.o: common/simt/%.c common/simt/simt.mk \
    tests/simt/simt-tests.mk $(TOOLCHAIN) | need-headers
	$(building)$(CC) $(SIMT_GCC_CHECKS) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<
$(SIMT_TEST)/driver_gcc: $(SIMT_TEST)/driver.o \
    $(call simt_kernels,instrumented,$(SIMT_KERNELS)) \
    $(SIMT_OBJECTS:$(BUILD)/cpu/simt/%=$(SIMT_TEST)/gcc/%)
	$(building)$(CXX) $(SIMT_GCC_CHECKS) -o $@ $^ $(SIMT_LDFLAGS)

# The same kernels on a GPU.
$(SIMT_TEST)/gpu/%.o: tests/simt/kernels/%.cu $(TOOLCHAIN) | need-nvcc
	$(building)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,$(ARCH)) -MMD -MP -c -o $@ $<
$(SIMT_TEST)/driver-gpu: $(SIMT_TEST)/driver-gpu.o $(call simt_kernels,gpu,\
    counting races sync flags matrix wrappers $(if $(filter 90a,$(ARCH)),hopper))
	$(building)$(CXX) -no-pie -o $@ $^ -L$(CUDA)/lib64 -lcudart_static -lpthread \
	  -ldl -lrt
TEST_NEEDS += $(addprefix $(SIMT_TEST)/,driver driver_plain driver_ptx \
  driver_gcc program $(if $(filter gpu,$(HERE)),driver-gpu))
