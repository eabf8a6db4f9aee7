# make stage5 timeline: a copy of the kernel with clock stamps, beside the
# kernel itself in one program.

timeline_objects = $(BUILD)/tools/objects/tools/timeline/record.o \
  $(filter-out %/stage.o,$1)

# Both kernels give the program a launch function, their toggles and what they
# take.
STAMPED := -Dstage_launch=stamped_launch -Dstage_toggles=stamped_toggles \
  -Dstage_support=stamped_support

STAMP := tools/timeline/stamp/stamp.py
$(BUILD)/stamped/%.cu: $(STAMP) $(wildcard tools/source/*.py \
    stage*/stage.toml further/*/stage.toml) $$(call folder_of,$$*)/kernel.cu
	$(building)$(STAMP) $* >$@
stamped_source = $(BUILD)/stamped/$(call stage_part,$1).cu

# The compiler is asked for no more registers than the kernel without stamps has,
# to the next eight, so that as many blocks fit; there are 255. timeline.py
# prints what it took.
SAME_REGISTERS = -maxrregcount=$$(n=$$(tools/resources/resources.py allotted \
  $(BUILD)/gpu/$*/sm_$(ARCH).cubin.ptxas); echo $$((n < 256 ? n : 255)))

$(BUILD)/gpu/%/stamped.o: $$(call stamped_source,$$*) $(TOOLCHAIN) \
    $(BUILD)/gpu/%/sm_$(ARCH).cubin | need-nvcc
	$(building)$(NVCC_C) $(KERNEL_FLAGS) $(call defines,$*) \
	  $(STAMPED) $(SAME_REGISTERS) -MMD -MP -c -o $@ $< 2>$@.ptxas \
	  || { cat $@.ptxas >&2; exit 1; }

$(BUILD)/cpu/%/stamped.o: $$(call stamped_source,$$*) $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_PLAIN) $(call defines,$*) $(STAMPED) -MMD -MP \
	  -c -o $@ $<

$(BUILD)/gpu/%/timeline: $(addprefix $(BUILD)/gpu/%/,kernel.o stamped.o \
    object.o driver.o) $(call timeline_objects,$(GPU_HARNESS))
	$(building)$(CXX) -o $@ $^ -L$(CUDA)/lib64 -lcudart_static $(LIBRARIES)

$(BUILD)/cpu/%/timeline: $(addprefix $(BUILD)/cpu/%/,kernel.o stamped.o \
    object.o driver.o) $(call timeline_objects,$(CPU_HARNESS)) \
    $(SIMT_OBJECTS)
	$(building)$(CXX) -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)
