# What the tests run. tests/FOLDER/*.mk add to TEST_PROGRAMS, which are C unit
# tests, and to TEST_NEEDS, what scripts in that folder run.

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

# FOLDER=PROGRAM; first of folders that have no rules of their own
UNITS :=
NEEDS := scales=$(SCALES) $(patsubst %,floor=$(BUILD)/%/floor/program,\
  cpu instrumented) $(foreach f,bughunt labs,$(addprefix $f=,$(LIMITED) \
  $(BUILD)/tools/draw)) $(addprefix \
  labs=$(BUILD)/cpu/stage2_wmma_pv/default/,attempt judge) \
  book=$(BUILD)/cpu/stage5_warp_spec/default/timeline
define test_rules
TEST_PROGRAMS :=
TEST_NEEDS :=
include $1
UNITS += $$(TEST_PROGRAMS)
NEEDS += $$(addprefix $2=,$$(TEST_PROGRAMS) $$(TEST_NEEDS))
endef
# The first says with which compilers and flags.
$(foreach m,tests/harness/harness.mk $(filter-out tests/harness/harness.mk,\
  $(wildcard tests/*/*.mk)),\
  $(eval $(call test_rules,$m,$(word 2,$(subst /, ,$m)))))

.PHONY: need-list need-tests
need-list:
	@mkdir -p $(BUILD)/tests && printf '%s\n' $(UNITS) >$(BUILD)/tests/programs
	@printf '%s\n' $(NEEDS) >$(BUILD)/tests/needs
need-tests: need-list $(TOOLS) $(foreach n,$(NEEDS),$(lastword $(subst =, ,$n))) \
    $(foreach s,$(STAGES),$(BUILD)/cpu/$s/default/program \
    $(BUILD)/instrumented/$s/default/program)
