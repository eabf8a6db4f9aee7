TEST_NEEDS += $(STAMP) $(TIMELINE_SHOW) $(patsubst tools/timeline/stamp/%.phases,\
  $(BUILD)/cpu/%/default/timeline,$(wildcard tools/timeline/stamp/*.phases))
