# What the tests of hunts run.
TEST_NEEDS += $(LIMITED) $(BUILD)/tools/draw
