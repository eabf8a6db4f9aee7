# Tests of the CPU executor: instrumented programs, one with plain kernels, one
# that runs on the fibres of other processors, and ones whose runtime checks
# itself for undefined behaviour, wrong addresses and leaks.

SIMT_TEST := $(BUILD)/tests/simt
SIMT_TESTS := $(addprefix $(SIMT_TEST)/,counters_test races_test stops_test \
  sync_test matrix_test hopper_test ring_test tables_test runtime_test)
simt_kernels = $(foreach k,$2,$(SIMT_TEST)/$1/$k.o)
simt_runtime = $(SIMT_OBJECTS:$(BUILD)/cpu/simt/%=$(SIMT_TEST)/$1/%)

$(SIMT_TEST)/%.o: tests/simt/%.c $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CC) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<

$(SIMT_TEST)/instrumented/%.o: tests/simt/kernels/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CXX) $(SIMT_CXXFLAGS_INSTRUMENTED) -MMD -MP -c -o $@ $<

$(SIMT_TEST)/plain/%.o: tests/simt/kernels/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CXX) $(SIMT_CXXFLAGS_PLAIN) -MMD -MP -c -o $@ $<

$(SIMT_TEST)/counters_test: $(call simt_kernels,instrumented,counting)
$(SIMT_TEST)/races_test: $(call simt_kernels,instrumented,races)
$(SIMT_TEST)/stops_test: $(call simt_kernels,instrumented,stops)
$(SIMT_TEST)/sync_test: $(call simt_kernels,instrumented,sync)
$(SIMT_TEST)/matrix_test: $(call simt_kernels,instrumented,matrix)
$(SIMT_TEST)/hopper_test: $(call simt_kernels,instrumented,hopper)
$(SIMT_TEST)/ring_test: $(call simt_kernels,instrumented,ring)
$(SIMT_TEST)/tables_test: $(call simt_kernels,instrumented,counting races \
  stops)
$(SIMT_TEST)/runtime_test: $(call simt_kernels,plain,launches counting races \
  stops)
$(SIMT_TESTS): %: %.o $(SIMT_TEST)/support.o $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) -lcmocka -lm

# The runtime again: with ucontext's fibres, and with the sanitizers of gcc and,
# where it is here, of clang, whose own runtime would not link to g++'s. They
# see the C alone: the kernels wrap around on purpose. Stacks are left out, for
# a fibre that is abandoned would leave its forbidden zones behind.
SIMT_GCC_CHECKS := -fsanitize=address,undefined -fno-sanitize-recover=all \
  --param asan-stack=0
simt_ucontext := $(CC) -DFIBRE_UCONTEXT
simt_gcc := $(CC) $(SIMT_GCC_CHECKS)
simt_clang := clang -fsanitize=undefined -fsanitize-undefined-trap-on-error
SIMT_VARIANTS := ucontext gcc $(if $(shell command -v clang),clang)

define simt_variant
$(SIMT_TEST)/$1/%.o: common/simt/%.c common/simt/simt.mk \
    tests/simt/simt-tests.mk $(TOOLCHAIN) | need-headers
	@mkdir -p $$(@D)
	$$(call say)
	$$(SHOW)$$(simt_$1) $(SIMT_CFLAGS) -MMD -MP -c -o $$@ $$<
$(SIMT_TEST)/%_$1: $(SIMT_TEST)/%_test.o $(SIMT_TEST)/instrumented/%.o \
    $(SIMT_TEST)/support.o $(call simt_runtime,$1)
	$$(call say)
	$$(SHOW)$(CXX) $(if $(filter gcc,$1),$(SIMT_GCC_CHECKS)) -o $$@ $$^ \
	  $(SIMT_LDFLAGS) -lcmocka -lm
endef
$(foreach v,$(SIMT_VARIANTS),$(eval $(call simt_variant,$v)))
SIMT_TESTS += $(foreach v,$(SIMT_VARIANTS),$(SIMT_TEST)/races_$v \
  $(SIMT_TEST)/stops_$v $(SIMT_TEST)/sync_$v $(SIMT_TEST)/matrix_$v \
  $(SIMT_TEST)/hopper_$v $(if $(filter-out ucontext,$v),$(SIMT_TEST)/ring_$v))

# The ground floor alone: it links without the rooms above it.
$(SIMT_TEST)/scheduler_test: $(SIMT_TEST)/scheduler_test.o \
    $(filter $(BUILD)/cpu/simt/run/%,$(SIMT_OBJECTS))
	$(call say)
	$(SHOW)$(CC) -no-pie -o $@ $^ -lpthread -lcmocka

# The arithmetic of tensor cores alone.
$(SIMT_TEST)/multiply_test: $(SIMT_TEST)/multiply_test.o \
    $(BUILD)/cpu/simt/tensor/multiply.o
	$(call say)
	$(SHOW)$(CC) -no-pie -o $@ $^ -lm -lcmocka
TEST_PROGRAMS += $(SIMT_TESTS) $(SIMT_TEST)/scheduler_test \
  $(SIMT_TEST)/multiply_test

# Stage 1 as the stage's own programs have it, timed.
SIMT_SPEED := $(addprefix $(SIMT_TEST)/speed_,plain instrumented)
simt_stage := $(filter stage1_%,$(STAGES))/default
$(SIMT_TEST)/speed_plain: $(addprefix $(BUILD)/cpu/$(simt_stage)/,kernel.o \
  object.o)
$(SIMT_TEST)/speed_instrumented: $(addprefix \
    $(BUILD)/instrumented/$(simt_stage)/,kernel.o \
  object.o)
$(SIMT_SPEED): $(SIMT_TEST)/speed.o $(CPU_HARNESS) $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)
TEST_NEEDS += $(SIMT_SPEED)

# The same kernels on the executor and on a GPU: those that run on each, and
# those for compute capability 9.0.
SIMT_AGREE := counting races sync matrix
SIMT_AGREE_HOPPER := hopper ring
$(SIMT_TEST)/agree_hopper.o: tests/simt/agree.c $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CC) $(SIMT_CFLAGS) -DHOPPER -MMD -MP -c -o $@ $<
$(SIMT_TEST)/agree: $(call simt_kernels,plain,$(SIMT_AGREE))
$(SIMT_TEST)/agree_hopper: $(call simt_kernels,plain,$(SIMT_AGREE_HOPPER))
$(addprefix $(SIMT_TEST)/,agree agree_hopper): %: %.o $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS)
$(SIMT_TEST)/gpu/%.o: tests/simt/kernels/%.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,$(ARCH)) -MMD -MP -c -o $@ $<
$(SIMT_TEST)/agree-gpu: $(call simt_kernels,gpu,$(SIMT_AGREE))
$(SIMT_TEST)/agree_hopper-gpu: $(call simt_kernels,gpu,$(SIMT_AGREE_HOPPER))
$(addprefix $(SIMT_TEST)/,agree-gpu agree_hopper-gpu): %-gpu: %.o
	$(call say)
	$(SHOW)$(CXX) -no-pie -o $@ $^ -L$(CUDA)/lib64 -lcudart_static -lpthread \
	  -ldl -lrt
TEST_NEEDS += $(addprefix $(SIMT_TEST)/,agree agree_hopper $(if $(filter \
  gpu,$(BEST)),agree-gpu $(if $(filter 90a,$(ARCH)),agree_hopper-gpu)))
