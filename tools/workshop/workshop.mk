# Goals for those who teach a class.
.PHONY: timetables slides workshop-check roster

# The courses of workshop/timetables.list, with the labs' own minutes.
timetables:
	@tools/workshop/timetable.py >$(BUILD)/timetables.md
	@mv $(BUILD)/timetables.md workshop/timetables.md
	@echo "wrote workshop/timetables.md"

# The slides of workshop/slides and their handout. STUDENT=1: for a class, in a
# folder of their own, without what the teacher says.
slides: export BOOK_STUDENT = $(STUDENT)
slides:
	@book/slides/build.sh . \
	  $(BUILD)/book$(if $(filter 1,$(STUDENT)),/student)/slides

# On each student's machine: one line of JSON, what it can do and how fast.
workshop-check:
	+@MAKE='$(MAKE)' tools/workshop/check.py $(call quoted,$(MINE)) \
	  $(BUILD)/tests/simt/speed_plain

# Who of a class is ready, and who has passed what.
roster:
	@LAB_NVCC=$${LAB_NVCC:-0} SEEDS=$(call quoted,$(SEEDS)) \
	  tools/workshop/roster.py $(call quoted,$(DIR))
