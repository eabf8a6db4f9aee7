# Goals for those who teach a class.
.PHONY: timetables

# The courses of workshop/timetables.list, with the labs' own minutes.
timetables:
	@tools/workshop/timetable.lua >$(BUILD)/timetables.md
	@mv $(BUILD)/timetables.md workshop/timetables.md
	@echo "wrote workshop/timetables.md"
