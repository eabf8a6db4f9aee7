# stage18_ring's merge on the executor; and its programs, where MPI is here.

RING_TEST := $(TEST_DIR)/ring
$(RING_TEST)/merge_test: tests/ring/merge_test.c further/stage18_ring/merge.h \
    $(BUILD)/instrumented/stage18_ring/default/kernel.o $(SIMT_OBJECTS) \
    $(BUILD)/cpu/harness/numbers.o
	$(building)$(CC) $(filter-out -MMD -MP,$(TEST_FLAGS)) -c -o $@.o $<
	@$(CXX) -o $@ $@.o $(filter %.o,$^) $(SIMT_LDFLAGS) -lcmocka -lm

TEST_PROGRAMS += $(RING_TEST)/merge_test
TEST_NEEDS += $(if $(shell command -v mpicc),\
  $(foreach t,cpu instrumented,$(BUILD)/$t/stage18_ring/program))
