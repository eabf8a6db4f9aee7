# Unit tests of the harness, with gcc's sanitizers, and the impostors, built for
# speed.

HARNESS_TESTED := $(filter-out %/stage.c,$(HARNESS_SOURCES)) \
  common/harness/cpu/device.c
TEST_FLAGS := -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I. \
  -isystem $(CUDA_INCLUDE) -MMD -MP
TEST_LIBRARIES := -lcmocka -lm -ldl -lstdc++ $(SIMT_LDFLAGS)
TEST_DIR := $(BUILD)/tests

HARNESS_TESTS := $(patsubst tests/harness/%.c,$(TEST_DIR)/%,\
  $(wildcard tests/harness/*.c))
HARNESS_CHECKS := -O1 -fopenmp -fsanitize=address,undefined \
  -fno-sanitize-recover=all

$(TEST_DIR)/harness/%.o: common/harness/%.c tests/harness/harness.mk \
    common/harness/settings.json $(TOOLCHAIN) | need-headers
	$(building)gcc $(TEST_FLAGS) $(HARNESS_CHECKS) -c -o $@ $<
$(HARNESS_TESTS): $(TEST_DIR)/%: tests/harness/%.c $(SIMT_OBJECTS) \
    $(HARNESS_TESTED:common/harness/%.c=$(TEST_DIR)/harness/%.o)
	@gcc $(TEST_FLAGS) $(HARNESS_CHECKS) -o $@ $(filter %.c %.o,$^) \
	  $(TEST_LIBRARIES)

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

TEST_PROGRAMS += $(HARNESS_TESTS) $(TEST_DIR)/against_cuda_test
TEST_NEEDS += $(IMPOSTORS)
