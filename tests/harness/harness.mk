# Unit tests of the harness, built by both compilers, and the impostors, built
# for speed.

HARNESS_TESTED := $(filter-out %/stage.c %/bench.c,$(HARNESS_SOURCES))
TEST_FLAGS := -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I. \
  -isystem $(CUDA_INCLUDE) -MMD -MP
TEST_LIBRARIES := -lcmocka -lm -ldl -lstdc++ $(SIMT_LDFLAGS)
TEST_DIR := $(BUILD)/tests

HARNESS_TESTS := $(patsubst tests/harness/%.c,%,$(wildcard tests/harness/*.c))
CLANG := $(shell command -v clang 2>/dev/null)
HARNESS_COMPILERS := gcc $(if $(CLANG),clang)
# With the sanitizers; clang's own runtime would not link to the executor's.
harness_gcc := -O1 -fopenmp -fsanitize=address,undefined \
  -fno-sanitize-recover=all
# Without OpenMP the pragmas are unknown: the same code, on one thread.
harness_clang := -O1 -Wno-source-uses-openmp -DNO_OPENMP \
  -fsanitize=undefined -fsanitize-undefined-trap-on-error

define compiled_tests
$(TEST_DIR)/$1/harness/%.o: common/harness/%.c tests/harness/harness.mk \
    common/harness/settings.json $(TOOLCHAIN) | need-headers
	$$(building)$1 $(TEST_FLAGS) $(harness_$1) -c -o $$@ $$<
$(TEST_DIR)/$1/%_test: tests/harness/%_test.c $(SIMT_OBJECTS) \
    $(patsubst common/harness/%.c,$(TEST_DIR)/$1/harness/%.o,$(HARNESS_TESTED))
	@$1 $(TEST_FLAGS) $(harness_$1) -o $$@ $$(filter %.c %.o,$$^) \
	  $(TEST_LIBRARIES)
endef
$(foreach c,$(HARNESS_COMPILERS),$(eval $(call compiled_tests,$c)))

$(TEST_DIR)/against_cuda_test: tests/harness/against_cuda_test.cpp \
    $(BUILD)/cpu/harness/numbers.o
	$(building)$(CXX) -O2 -Wall -Wextra -Werror -I. -isystem $(CUDA_INCLUDE) -o $@ $^ -lm

# The verdicts on one input: build/tests/impostors mission large-logits
IMPOSTORS := $(TEST_DIR)/impostors
PLAIN_HARNESS := $(patsubst common/harness/%.c,$(BUILD)/cpu/harness/%.o,\
  $(HARNESS_TESTED))
$(IMPOSTORS): $(wildcard tests/impostors/*.[ch]) $(PLAIN_HARNESS) \
    $(SIMT_OBJECTS)
	$(building)$(CC) $(TEST_FLAGS) -O3 -fopenmp -o $@ $(filter %.c %.o,$^) \
	  $(TEST_LIBRARIES)

TEST_PROGRAMS += $(foreach c,$(HARNESS_COMPILERS),$(patsubst %,\
  $(TEST_DIR)/$c/%,$(HARNESS_TESTS))) $(TEST_DIR)/against_cuda_test
TEST_NEEDS += $(IMPOSTORS)
