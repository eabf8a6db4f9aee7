# make scales: what each way to scale Q, K and V is worth, for the book. JSON= is
# the folder of scales.json.

SCALES := $(BUILD)/tools/scales
$(SCALES): $(BUILD)/tools/objects/tools/scales/scales.o $(addprefix \
    $(BUILD)/cpu/harness/,numbers.o problem.o program.o reference.o results.o \
    settings.o)
	$(building)$(CC) -o $@ $^ -ljansson -lm -ldl -fopenmp
