# The program that makes mistakes of a kernel's own source, by rules.
MUTATE := $(BUILD)/tools/mutate
$(eval $(call tool,mutate,$(wildcard tools/mutants/*.c) $(EDITING_SOURCES)))
