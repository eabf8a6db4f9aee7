# Tests of the CPU executor: traced programs, one with plain kernels, and one
# that runs on the fibres of other processors.

SIMT_TEST_BUILD := $(BUILD)/tests/simt
SIMT_TESTS := $(addprefix $(SIMT_TEST_BUILD)/,counters_test races_test \
  stops_test matrix_test runtime_test ucontext_test)
TEST_PROGRAMS += $(SIMT_TESTS)

SIMT_TEST_SUPPORT := $(SIMT_TEST_BUILD)/support.o
simt_test_kernels = $(foreach k,$2,$(SIMT_TEST_BUILD)/$1/$k.o)
SIMT_TEST_LINK = $(CXX) -o $@ $^ $(SIMT_LDFLAGS) -lcmocka -lm

$(SIMT_TEST_BUILD)/%.o: tests/simt/%.c
	@mkdir -p $(@D)
	$(CC) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<

$(SIMT_TEST_BUILD)/trace/%.o: tests/simt/kernels/%.cu | $(SIMT_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(SIMT_CXXFLAGS_TRACE) -MMD -MP -c -o $@ $<

$(SIMT_TEST_BUILD)/plain/%.o: tests/simt/kernels/%.cu | $(SIMT_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(SIMT_CXXFLAGS_PLAIN) -MMD -MP -c -o $@ $<

$(SIMT_TEST_BUILD)/ucontext/%.o: common/simt/%.c
	@mkdir -p $(@D)
	$(CC) $(SIMT_CFLAGS) -DFIBRE_UCONTEXT -MMD -MP -c -o $@ $<

$(SIMT_TEST_BUILD)/counters_test: $(SIMT_TEST_BUILD)/counters_test.o \
    $(call simt_test_kernels,trace,counting) $(SIMT_TEST_SUPPORT) \
    $(SIMT_OBJECTS)
	$(SIMT_TEST_LINK)

$(SIMT_TEST_BUILD)/races_test: $(SIMT_TEST_BUILD)/races_test.o \
    $(call simt_test_kernels,trace,races) $(SIMT_TEST_SUPPORT) $(SIMT_OBJECTS)
	$(SIMT_TEST_LINK)

$(SIMT_TEST_BUILD)/stops_test: $(SIMT_TEST_BUILD)/stops_test.o \
    $(call simt_test_kernels,trace,stops) $(SIMT_TEST_SUPPORT) $(SIMT_OBJECTS)
	$(SIMT_TEST_LINK)

$(SIMT_TEST_BUILD)/matrix_test: $(SIMT_TEST_BUILD)/matrix_test.o \
    $(call simt_test_kernels,trace,matrix) $(SIMT_TEST_SUPPORT) $(SIMT_OBJECTS)
	$(SIMT_TEST_LINK)

$(SIMT_TEST_BUILD)/runtime_test: $(SIMT_TEST_BUILD)/runtime_test.o \
    $(call simt_test_kernels,plain,launches counting races stops) \
    $(SIMT_TEST_SUPPORT) $(SIMT_OBJECTS)
	$(SIMT_TEST_LINK)

$(SIMT_TEST_BUILD)/ucontext_test: $(SIMT_TEST_BUILD)/races_test.o \
    $(call simt_test_kernels,trace,races) $(SIMT_TEST_SUPPORT) \
    $(SIMT_OBJECTS:$(BUILD)/cpu/simt/%=$(SIMT_TEST_BUILD)/ucontext/%)
	$(SIMT_TEST_LINK)
