# What the tests of hunts run.
TEST_NEEDS += $(MUTATE) $(LIMITED) $(BUILD)/tools/draw
