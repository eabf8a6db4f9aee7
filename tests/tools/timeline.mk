TEST_NEEDS += $(STAMP) $(patsubst %,\
  $(BUILD)/cpu/%/default/timeline,stage2_wmma_pv stage5_warp_spec)
