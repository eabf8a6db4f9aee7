# The tile of K in each of stage 2's layouts, by the kernel's own code.
LAYOUTS := nothing padding swizzle
LAYOUT_nothing := -DUSE_PADDING=0
LAYOUT_padding := -DUSE_PADDING=1
LAYOUT_swizzle := -DUSE_PADDING=0 -DUSE_XOR_SWIZZLE=1
LAYOUT_PROGRAMS := $(LAYOUTS:%=$(BUILD)/tests/layout/%)

$(LAYOUT_PROGRAMS:=.o): $(BUILD)/tests/layout/%.o: tests/layout/layout.cu \
    $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	@mkdir -p $(@D)
	@$(CXX) $(SIMT_CXXFLAGS_PLAIN) $(LAYOUT_$*) -MMD -MP -c -o $@ $<
$(LAYOUT_PROGRAMS): %: %.o $(SIMT_OBJECTS)
	@$(CXX) -o $@ $^ $(SIMT_LDFLAGS)
TEST_NEEDS += $(LAYOUT_PROGRAMS)
