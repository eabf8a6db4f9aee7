# The model of the floor, by both compilers with the sanitizers on; and what
# floor.test.lua runs.
define floor_model_test
$(TEST_DIR)/$1/floor/%.o: floor/%.c $(TOOLCHAIN) | need-headers
	@mkdir -p $$(@D)
	@$1 $(TEST_FLAGS) $(SANITIZE) -c -o $$@ $$<
$(TEST_DIR)/$1/floor/model_test: tests/floor/model_test.c \
    $(addprefix $(TEST_DIR)/$1/,floor/model/model.o floor/model/model_json.o \
    harness/program/reason.o $(addprefix harness/record/,results.o figures.o) \
    $(addprefix harness/problem/,shape.o shape_text.o settings.o))
	@$1 $(TEST_FLAGS) $(SANITIZE) -o $$@ $$(filter %.c %.o,$$^) \
	  $(TEST_LIBRARIES)
endef
$(foreach c,$(HARNESS_COMPILERS),$(eval $(call floor_model_test,$c)))
TEST_PROGRAMS += $(foreach c,$(HARNESS_COMPILERS),\
  $(TEST_DIR)/$c/floor/model_test)
TEST_NEEDS += $(FLOOR_MODEL) $(FLOOR_SHOW) $(BUILD)/cpu/floor/program \
  $(BUILD)/instrumented/floor/program
