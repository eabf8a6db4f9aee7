# Goals for those who teach a class.
.PHONY: timetables workshop-check roster

# The courses of workshop/timetables.list, with the labs' own minutes.
timetables:
	@tools/workshop/timetable.lua >$(BUILD)/timetables.md
	@mv $(BUILD)/timetables.md workshop/timetables.md
	@echo "wrote workshop/timetables.md"

# On each student's machine: one line of JSON, what it can do and how fast.
workshop-check:
	+@MAKE='$(MAKE)' tools/workshop/check.sh $(call quoted,$(MINE)) \
	  $(BUILD)/tests/simt/speed_plain

# Who of a class is ready, and who has passed what.
roster:
	@LAB_NVCC=$${LAB_NVCC:-0} SEEDS=$(call quoted,$(SEEDS)) \
	  tools/workshop/roster.lua $(call quoted,$(DIR))
