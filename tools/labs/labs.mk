# What grades the reader's kernels, and builds them as stages are built.

# Those that are graded as labs are, and the hunt, which has its own verbs.
LABS := $(patsubst %.lab,%,$(notdir $(wildcard labs/*/*.lab))) bughunt
# The lab without attention, and the book's kernel of it
WARMUPS := labw warmup
# Of a stage that is no kernel alone: tools/labs/ring/ring.mk
OTHER_LABS := $(if $(OTHER_STAGES),$(patsubst %.lab,%,$(notdir $(shell \
  grep -lE '^stage: *($(subst $(space),|,$(OTHER_STAGES)))$$' labs/*/*.lab))))

lab_objects = $(patsubst %,$(BUILD)/tools/objects/tools/labs/judge/%.o,$1)
harness_part = $(addprefix $(BUILD)/cpu/harness/,$1)
LAB_INPUTS := $(call lab_objects,inputs case_text) \
  $(call harness_part,numbers.o problem.o program.o settings.o)

$(eval $(call tool,limited,tools/labs/judge/limited.c \
  common/harness/program.c))
LIMITED := $(BUILD)/tools/limited

$(BUILD)/tools/draw: $(call lab_objects,draw) $(LAB_INPUTS)
	$(building)$(CC) -o $@ $^ $(LIBRARIES)

LAUNCHED := $(addprefix -Wl$(comma)--wrap=,simt_launch cudaMemsetAsync \
  cudaFuncSetAttribute cudaGetDevice cudaDeviceGetAttribute)

# Somebody's kernel, and nothing that knows an answer.
$(BUILD)/cpu/%/attempt: $(BUILD)/cpu/%/kernel.o $(call lab_objects,attempt \
    launched outputs) $(LAB_INPUTS) $(call harness_part,launch.o cpu/device.o) \
    $(SIMT_OBJECTS)
	$(building)$(CXX) $(LAUNCHED) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

# Of a stage: what judges the outputs of a lab that starts from it.
$(BUILD)/cpu/%/judge: $(addprefix $(BUILD)/cpu/%/,kernel.o object.o) \
    $(call lab_objects,judge outputs case_text) \
    $(filter-out %/stage.o,$(CPU_HARNESS)) $(SIMT_OBJECTS)
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

# The warm-up has programs of its own, with the same command lines.
warmup_objects = $(patsubst %,$(BUILD)/tools/objects/tools/labs/warmup/%.o,$1) \
  $(call harness_part,numbers.o program.o)
$(BUILD)/tools/draw_matrices: $(call warmup_objects,draw matrix)
	$(building)$(CC) -o $@ $^ $(LIBRARIES)
$(WARMUPS:%=$(BUILD)/cpu/%/default/attempt): %/attempt: %/kernel.o \
    $(call warmup_objects,attempt run matrix) $(call lab_objects,launched \
    outputs) $(SIMT_OBJECTS)
	$(building)$(CXX) $(LAUNCHED) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)
$(BUILD)/cpu/warmup/default/judge: $(call warmup_objects,judge matrix) \
    $(call lab_objects,outputs)
	$(building)$(CC) -o $@ $^ $(LIBRARIES)
$(foreach t,cpu instrumented,$(WARMUPS:%=$(BUILD)/$t/%/default/program)): \
    %/program: %/kernel.o %/driver.o $(call warmup_objects,run matrix) \
    $(call harness_part,results.o) $(SIMT_OBJECTS)
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

# The reader's file may lie anywhere: what is built is a copy, whose lines still
# go by the name that he knows. Before the make that grades, nobody else has it.
$(BUILD)/labs/%/kernel.cu: FORCE
	@tools/labs/labs.py take $* $@

.PHONY: hunt-needs grade-needs
hunt-needs: $(LIMITED) $(BUILD)/tools/draw | $(SIMT_HEADERS) need-headers
grade-needs: hunt-needs $(BUILD)/tools/draw_matrices $(CPU_HARNESS) \
  $(SIMT_OBJECTS)
