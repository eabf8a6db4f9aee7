# What the tests of labs run.
TEST_NEEDS += $(LIMITED) $(BUILD)/tools/draw \
  $(addprefix $(BUILD)/cpu/stage2_wmma_pv/default/,attempt judge)
