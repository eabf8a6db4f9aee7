# The tools in C, from objects of their own.

$(BUILD)/tools/objects/%.o: %.c $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -c -o $@ $<

# $(eval $(call tool,NAME,SOURCES)): the program build/tools/NAME
TOOLS :=
define tool
TOOLS += $(BUILD)/tools/$1
$(BUILD)/tools/$1: $(patsubst %.c,$(BUILD)/tools/objects/%.o,$2)
	$$(building)$(CC) -o $$@ $$(filter %.o,$$^) -ljansson -lm
endef
