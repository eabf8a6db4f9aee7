# Labs on a stage whose program is of several ranks, stage18_ring: what is the
# reader's is its kernel or one of its C files, and all else is the stage's own.

lab_file = $(shell sed -n 's/^file: *//p' labs/*/$1.lab)
RING_ATTEMPT := $(patsubst %,$(BUILD)/tools/objects/tools/labs/ring/%.o,\
  attempt dealt counts)
# What no attempt needs: answers, and the stage's own host program.
RING_ANSWERS := %/driver.o %/run.o %/race.o %/model.o

# ring_attempt TARGET,FOLDER,PARTS
define ring_attempt
$(BUILD)/$1/$2/attempt: $(RING_ATTEMPT) $(filter-out $(RING_ANSWERS),$3) \
    $(RING_LIBRARY) $(call ring_kernels,$1) \
    $(call lab_objects,outputs inputs launched) $(call harness_part,numbers.o \
    problem.o program.o settings.o cpu/device.o) \
    $(SIMT_OBJECTS) | need-mpi
	$$(building)$(MPI_LINK) $(LAUNCHED) -Wl,--wrap=merge_launch -o $$@ $$^ \
	  $(SIMT_LDFLAGS) $(LIBRARIES)
endef
$(foreach t,cpu instrumented,$(eval $(call ring_attempt,$t,$(RING)/default,\
  $(call ring_objects,cpu) $(BUILD)/$t/$(RING)/default/kernel.o)))

# ring_lab_parts TARGET,LAB,FILE: the stage's objects with the reader's among
# them. His C file is plain in both programs, as the stage's are.
ring_lab_parts = $(if $(filter %.c,$3),$(filter-out %/$(3:.c=.o),$(call \
  ring_objects,cpu)) $(BUILD)/cpu/$2/default/$(notdir $(3:.c=.o)) \
  $(BUILD)/$1/$(RING)/default/kernel.o,$(call ring_objects,cpu) \
  $(BUILD)/$1/$2/default/kernel.o)
define ring_lab
$(foreach t,cpu instrumented,$(call ring_attempt,$t,$1/default,$(call \
  ring_lab_parts,$t,$1,$2))$(newline)$(call ring_program,$t,$1/default,$(call \
  ring_lab_parts,$t,$1,$2))$(newline))
endef
# What gcc warns of in his C file is the reader's to decide.
define ring_lab_c
$(BUILD)/labs/$1/$2.c: FORCE
	@tools/labs/labs.py take $1 $$@
$(BUILD)/cpu/$1/default/$2.o: $(BUILD)/labs/$1/$2.c $(TOOLCHAIN) | need-headers
	$$(building)$(CC) $(filter-out -Werror,$(CFLAGS)) -c -o $$@ $$<
endef
ring_lab_rules = $(eval $(call ring_lab,$1,$2))$(if $(filter %.c,$2),$(eval \
  $(call ring_lab_c,$1,$(basename $(notdir $2)))))
$(foreach l,$(OTHER_LABS),$(call ring_lab_rules,$l,$(or $(call \
  lab_file,$l),kernel.cu)))

# The attention in it is the library's: so is how it rounds.
$(BUILD)/cpu/$(RING)/default/judge: $(addprefix \
    $(BUILD)/cpu/$(LIBRARY_STAGE)/default/,kernel.o object.o) \
    $(call lab_objects,judge outputs case_text) \
    $(filter-out %/stage.o,$(CPU_HARNESS)) $(SIMT_OBJECTS)
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)

.PHONY: ring-grade-needs
ring-grade-needs: $(foreach t,cpu instrumented,\
  $(BUILD)/$t/$(RING)/default/attempt) \
  $(BUILD)/cpu/$(RING)/default/judge $(call ring_objects,cpu) \
  $(BUILD)/instrumented/$(RING)/program $(RING_ATTEMPT)
