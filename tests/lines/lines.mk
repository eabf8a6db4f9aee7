# A stage's plain program in which gcov counts how often each line of the kernel
# runs: build/lines/STAGE/ARM/program. Where nothing is optimised or inlined, a
# line keeps what it does. ccache would hand out objects that count in another
# tree's folder.
$(eval $(call driver_rule,lines))

$(BUILD)/lines/%/kernel.o: \
    $$(call folder_of,$$(call stage_part,$$*))/kernel.cu $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	$(building)CCACHE_DISABLE=1 $(CXX) $(SIMT_CXXFLAGS_PLAIN) -O0 --coverage \
	  -fprofile-update=atomic -DSIMT_NO_INLINING $(call defines,$*) \
	  -MMD -MP -c -o $@ $<

$(BUILD)/lines/%/object.o: common/harness/object.c \
    $(BUILD)/lines/%/kernel.o
	@$(call about_object,$*,$(SIMT_SHOWN),$(CXX)) -c -o $@ $<

$(BUILD)/lines/%/program: $(addprefix $(BUILD)/lines/%/,kernel.o object.o \
    driver.o) $(CPU_HARNESS) $(SIMT_OBJECTS)
	$(building)$(CXX) --coverage -o $@ $^ $(SIMT_LDFLAGS) $(LIBRARIES)
