# The library that finds and edits places in kernels, by both compilers with the
# sanitizers on.
define source_test
$(TEST_DIR)/$1/editing/%.o: %.c $(TOOLCHAIN) | need-headers
	@mkdir -p $$(@D)
	@$1 $(TEST_FLAGS) $(SANITIZE) -c -o $$@ $$<
$(TEST_DIR)/$1/source_test: $(patsubst %.c,$(TEST_DIR)/$1/editing/%.o,\
    tests/source/source_test.c $(EDITING_SOURCES))
	@$1 $(TEST_FLAGS) $(SANITIZE) -o $$@ $$^ $(TEST_LIBRARIES)
endef
$(foreach c,$(HARNESS_COMPILERS),$(eval $(call source_test,$c)))
TEST_PROGRAMS += $(foreach c,$(HARNESS_COMPILERS),$(TEST_DIR)/$c/source_test)
