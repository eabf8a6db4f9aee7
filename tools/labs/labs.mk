# make lab2 lays a lab out. With a verb it does what the stages' verbs do, with
# the reader's kernel, or what labs alone have.

lab_has := check race count bench $(if $(HUNT),resources)
$(if $(PICKED_LABS),$(if $(filter-out $(lab_has),$(ASKED)),\
  $(error $(firstword $(filter-out $(lab_has),$(ASKED))) is for \
  stages; a lab has $(lab_has) $(LAB_VERBS))))
$(if $(and $(ASKED),$(filter $(PROGRAM_LABS),$(PICKED_LABS))),$(foreach l,\
  $(firstword $(PROGRAM_LABS)),$(error $l is a program with its own main: 'make \
  race FILE=$(MINE)/$l/$(shell sed -n 's/^file: *//p' labs/*/$l.lab)', or run)))

lab_objects = $(patsubst %,$(BUILD)/tools/objects/tools/labs/judge/%.o,$1)
harness_part = $(addprefix $(BUILD)/cpu/harness/,$1)
LAB_INPUTS := $(call lab_objects,inputs case_text) \
  $(call harness_part,numbers.o problem.o program.o settings.o)

$(eval $(call tool,limited,tools/labs/judge/limited.c \
  common/harness/program.c))
LIMITED := $(BUILD)/tools/limited

$(BUILD)/tools/draw: $(call lab_objects,draw) $(LAB_INPUTS)
	$(call say)
	$(SHOW)$(CC) -o $@ $^ $(LIBRARIES)

# Somebody's kernel, and nothing that knows an answer.
$(BUILD)/cpu/%/attempt: $(BUILD)/cpu/%/kernel.o $(call lab_objects,attempt \
    outputs) $(LAB_INPUTS) $(call harness_part,launch.o cpu/device.o) \
    $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -Wl,--wrap=simt_launch,--wrap=cudaMemsetAsync -o $@ $^ \
	  $(SIMT_LDFLAGS) $(LIBRARIES)

# Of a stage: what judges the outputs of a lab that starts from it.
$(BUILD)/cpu/%/judge: $(addprefix $(BUILD)/cpu/%/,kernel.o object.o) \
    $(call lab_objects,judge outputs case_text) $(CPU_HARNESS) $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

# The warm-up has programs of its own, with the same command lines.
warmup_objects = $(patsubst %,$(BUILD)/tools/objects/tools/labs/warmup/%.o,$1) \
  $(call harness_part,numbers.o program.o)
$(BUILD)/tools/draw_matrices: $(call warmup_objects,draw matrix)
	$(call say)
	$(SHOW)$(CC) -o $@ $^ $(LIBRARIES)
$(WARMUPS:%=$(BUILD)/cpu/%/default/attempt): %/attempt: %/kernel.o \
    $(call warmup_objects,attempt run matrix) $(call lab_objects,outputs) \
    $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)
$(BUILD)/cpu/warmup/default/judge: $(call warmup_objects,judge matrix) \
    $(call lab_objects,outputs)
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CC) -o $@ $^ $(LIBRARIES)
$(foreach t,cpu instrumented,$(WARMUPS:%=$(BUILD)/$t/%/default/program)): \
    %/program: %/kernel.o %/driver.o $(call warmup_objects,run matrix) \
    $(call harness_part,results.o) $(SIMT_OBJECTS)
	$(call say)
	$(SHOW)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

# The reader's file may lie anywhere: what is built is a copy, whose lines still
# go by the name that he knows. Before the make that grades, nobody else has it.
$(BUILD)/labs/%/kernel.cu: FORCE
	@tools/labs/labs.py take $(call quoted,$(MINE)/$*) $@

LAB_NEEDS := $(LIMITED) $(addprefix $(BUILD)/tools/,draw draw_matrices) \
  $(CPU_HARNESS) $(SIMT_OBJECTS) \
  $(foreach l,$(filter-out $(OTHER_LABS) $(PROGRAM_LABS),$(PICKED_LABS)),$(foreach \
  s,$(call book_stage,$l),\
  $(BUILD)/cpu/$s/default/judge $(BUILD)/instrumented/$s/default/program))
.PHONY: labs
labs: | need-python
	@tools/labs/labs.py list
.PHONY: $(LABS) grade hint watch solution reset lab-verb
$(LAB_VERBS): $(LAB_GOAL) ; @:
ifeq ($(ASKED_LAB),grade)
lab-verb: $(LAB_NEEDS) | $(SIMT_HEADERS) need-headers need-python
	@status=0; for l in $(PICKED_LABS); do NVCC='$(if $(CUDA),$(NVCC))' \
	  ARCH=$(ARCH) HERE=$(HERE) SEEDS=$(call quoted,$(SEEDS)) \
	  tools/labs/labs.py grade $$l || status=1; done; \
	  exit $$status
else ifeq ($(ASKED_LAB),watch)
lab-verb:
	@tools/labs/labs.py watch $(PICKED_LABS)
else
lab-verb: | need-python
	@for l in $(PICKED_LABS); do \
	  tools/labs/labs.py $(or $(ASKED_LAB),lay-out) $$l || exit; done
endif
