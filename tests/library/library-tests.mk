# libfp8attention on the executor: compiled by gcc with its sanitizers around a
# kernel that is instrumented, and by clang around one that is not.

LIBRARY_TEST := $(BUILD)/tests/library
LIBRARY_TESTS := forward_test quantise_test
library_gcc = gcc $(SIMT_GCC_CHECKS)
library_clang := clang -fsanitize=undefined -fsanitize-undefined-trap-on-error
library_link_gcc = $(CXX) $(SIMT_GCC_CHECKS)
library_link_clang := $(CXX)
library_cxx_gcc = $(SIMT_CXXFLAGS_INSTRUMENTED)
library_cxx_clang = $(SIMT_CXXFLAGS_PLAIN)

# The host's quantiser, which the kernels are compared with.
LIBRARY_TEST_HARNESS := $(addprefix $(BUILD)/cpu/harness/,numbers.o problem.o \
  program.o settings.o)

define library_compiler
$(LIBRARY_TEST)/$1/%.o: tests/library/%.c $(TOOLCHAIN) | need-headers
	$$(building)$$(library_$1) $(SIMT_CFLAGS) -MMD -MP -c -o $$@ $$<
$(LIBRARY_TEST)/$1/%.o: libfp8attention/%.c $(TOOLCHAIN) | need-headers
	$$(building)$$(library_$1) $(SIMT_CFLAGS) -MMD -MP -c -o $$@ $$<
$(LIBRARY_TEST)/$1/%.k.o: libfp8attention/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$$(building)$(CXX) $$(library_cxx_$1) -MMD -MP -c -o $$@ $$<
$(LIBRARY_TEST)/$1/quantise_test: $(LIBRARY_TEST_HARNESS)
$(LIBRARY_TEST)/$1/quantise_test: library_wraps := -lgomp
$(LIBRARY_TEST)/$1/%: $(LIBRARY_TEST)/$1/%.o \
    $(addprefix $(LIBRARY_TEST)/$1/,$(LIBRARY_OBJECTS)) \
    $(SIMT_OBJECTS)
	@$$(library_link_$1) -o $$@ $$^ $$(library_wraps) $(SIMT_LDFLAGS) -lcmocka -lm
endef
$(foreach c,$(HARNESS_COMPILERS),$(eval $(call library_compiler,$c)))
$(foreach c,$(HARNESS_COMPILERS),$(eval $(LIBRARY_TEST)/$c/forward_test: \
  $(BUILD)/cpu/harness/numbers.o))

TEST_PROGRAMS += $(foreach c,$(HARNESS_COMPILERS),$(patsubst %,\
  $(LIBRARY_TEST)/$c/%,$(LIBRARY_TESTS)))
TEST_NEEDS += $(if $(CUDA),$(LIBRARY))
