TEST_NEEDS += $(TIMELINE_SHOW) $(patsubst tools/timeline/%.phases,\
  $(BUILD)/cpu/%/default/timeline,$(wildcard tools/timeline/*.phases))
