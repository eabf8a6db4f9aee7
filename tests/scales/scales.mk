# The ways to scale Q, K and V, under the sanitizers as the harness is.

define scales_test
$(TEST_DIR)/$1/scheme_test: tests/scales/scheme_test.c tools/scales/scheme.c \
    $(patsubst common/harness/%.c,$(TEST_DIR)/$1/harness/%.o,\
    $(wildcard common/harness/problem/*.c common/harness/recorded/*.c \
    common/harness/program/*.c) common/harness/judge/reference.c \
    common/harness/device/phases.c)
	@mkdir -p $$(@D)
	@$1 $(TEST_FLAGS) $(SANITIZE) $(openmp_$1) -o $$@ $$(filter %.c %.o,$$^) \
	  $(TEST_LIBRARIES)
endef
$(foreach c,$(HARNESS_COMPILERS),$(eval $(call scales_test,$c)))
TEST_PROGRAMS += $(foreach c,$(HARNESS_COMPILERS),$(TEST_DIR)/$c/scheme_test)
TEST_NEEDS += $(SCALES)
