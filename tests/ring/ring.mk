# stage18_ring's merge on the executor; and its programs, where MPI is here.

RING_TEST := $(TEST_DIR)/ring
$(RING_TEST)/merge_test: tests/ring/merge_test.c further/stage18_ring/merge.h \
    $(BUILD)/instrumented/stage18_ring/default/kernel.o $(SIMT_OBJECTS) \
    $(BUILD)/cpu/harness/numbers.o
	$(building)$(CC) $(filter-out -MMD -MP,$(TEST_FLAGS)) -c -o $@.o $<
	@$(CXX) -o $@ $@.o $(filter %.o,$^) $(SIMT_LDFLAGS) -lcmocka -lm

# The bench for GPUs, on the executor and a stand-in.
RING_STANDIN := $(BUILD)/cpu/$(RING)/standin
$(RING_STANDIN)/%.o: $(RING_FOLDER)/gpu/%.c $(RING_BUILT_FROM) $(TOOLCHAIN) \
    | need-headers need-mpi
	$(building)$(MPICC) -isystem tests/ring/standin $(CFLAGS) $(ring_says_bench) \
	  -Ddevice_open=standin_device -D'MEBIBYTE=(size_t)4096' -c -o $@ $<
$(RING_STANDIN)/standin.o: tests/ring/standin/standin.c $(TOOLCHAIN) \
    | need-headers need-mpi
	$(building)$(MPICC) -isystem tests/ring/standin $(CFLAGS) -c -o $@ $<
$(eval $(call ring_program,cpu,$(RING)/standin,$(filter-out %/cpu/race.o,\
  $(call ring_objects,cpu)) $(BUILD)/cpu/$(RING)/default/kernel.o $(addprefix \
  $(RING_STANDIN)/,bench.o link.o standin.o)))

TEST_PROGRAMS += $(RING_TEST)/merge_test
TEST_NEEDS += $(if $(shell command -v mpicc),\
  $(foreach t,cpu instrumented,$(BUILD)/$t/stage18_ring/program) \
  $(RING_STANDIN)/program)
