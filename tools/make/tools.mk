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

# make scales: what each way to scale Q, K and V is worth, for the book. JSON= is
# the folder of scales.json.
SCALES := $(BUILD)/tools/scales
$(SCALES): $(BUILD)/tools/objects/tools/scales/scales.o $(addprefix \
    $(BUILD)/cpu/harness/,judge/reference.o numbers.o problem.o program.o results.o \
    settings.o)
	$(building)$(CC) -o $@ $^ -ljansson -lm -ldl -fopenmp
