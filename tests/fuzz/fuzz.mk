# Programs that libFuzzer drives: clang's, with its sanitizers.

FUZZ_DIR := $(BUILD)/tests/fuzz
FUZZERS := $(patsubst tests/fuzz/%.c,$(FUZZ_DIR)/%,$(wildcard \
  tests/fuzz/*_fuzz.c))
FUZZ_FLAGS := $(TEST_FLAGS) $(openmp_clang) -O1 \
  -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZED := $(wildcard common/harness/program/*.c common/harness/problem/*.c \
  common/harness/recorded/*.c common/harness/record/*.c) $(addprefix common/harness/,device/phases.c \
  run/options.c run/cases.c run/takes.c) floor/model/model.c \
  tools/compare/table.c
$(FUZZ_DIR)/options_fuzz: fuzz_wraps := -Wl,--wrap=argp_parse,--wrap=argp_failure
$(FUZZ_DIR)/settings_fuzz: fuzz_wraps := -Wl,--wrap=exit
$(FUZZ_DIR)/library_fuzz: $(addprefix $(FUZZ_DIR)/objects/libfp8attention/,\
  forward.o strides.o device.o)
$(filter-out %/library_fuzz,$(FUZZERS)): $(FUZZ_DIR)/harness.a

$(FUZZ_DIR)/objects/%.o: %.c $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	@clang $(FUZZ_FLAGS) -c -o $@ $<
$(FUZZ_DIR)/objects/common/harness/problem/settings.o: \
  common/harness/settings.json
$(FUZZ_DIR)/harness.a: $(patsubst %.c,$(FUZZ_DIR)/objects/%.o,$(FUZZED)) \
    tests/fuzz/fuzz.mk
	@rm -f $@ && ar rc $@ $(filter %.o,$^)
$(FUZZERS): $(FUZZ_DIR)/%: $(FUZZ_DIR)/objects/tests/fuzz/%.o
	$(call say)
	$(SHOW)clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(fuzz_wraps) \
	  -ljansson -lm

# Debian has libFuzzer in a package apart from clang.
CAN_FUZZ = $(and $(CLANG),$(wildcard $(addsuffix /libclang_rt.fuzzer*.a,\
  $(shell clang -print-runtime-dir) \
  $(shell clang -print-resource-dir)/lib/linux)))
TEST_NEEDS += $(if $(filter need-tests,$(MAKECMDGOALS)),$(if \
  $(CAN_FUZZ),$(FUZZERS)))
