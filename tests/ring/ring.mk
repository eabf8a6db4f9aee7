# stage18_ring's merge on the executor; and its programs, where MPI is here.

RING_TEST := $(TEST_DIR)/ring
<<<<<<< HEAD
RING_TESTS := plan_test model_test verdict_test
RING_TESTED := further/stage18_ring/ring/plan.c further/stage18_ring/ring/model.c \
  further/stage18_ring/ranks/verdict.c common/harness/program/reason.c

define ring_compiler
$(RING_TEST)/$1/%: tests/ring/%.c $(RING_TESTED) \
    $(wildcard further/stage18_ring/*/*.h) $(TOOLCHAIN)
	@mkdir -p $$(@D)
	@$1 $(filter-out -MMD -MP,$(TEST_FLAGS)) $(SANITIZE) -o $$@ $$< \
	  $(RING_TESTED) -lcmocka -lm
endef
$(foreach c,$(HARNESS_COMPILERS),$(eval $(call ring_compiler,$c)))

$(RING_TEST)/merge_test: tests/ring/merge_test.c further/stage18_ring/merge.h \
=======
$(RING_TEST)/merge_test: tests/ring/merge_test.c stage18_ring/merge.h \
>>>>>>> b73f5f428efc1b681dbcdc4af1a6cfcd130adb25
    $(BUILD)/instrumented/stage18_ring/default/kernel.o $(SIMT_OBJECTS) \
    $(addprefix $(BUILD)/cpu/harness/problem/,half.o random.o)
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(TEST_FLAGS)) -c -o $@.o $<
	@$(CXX) -o $@ $@.o $(filter %.o,$^) $(SIMT_LDFLAGS) -lcmocka -lm

TEST_PROGRAMS += $(RING_TEST)/merge_test
TEST_NEEDS += $(if $(shell command -v mpicc),\
  $(foreach t,cpu instrumented,$(BUILD)/$t/stage18_ring/program))
