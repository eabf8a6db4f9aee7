# make check-more: what takes longer, and what check-all only draws from. Its
# records, in tests/more/records, are committed; what a record holds for is not
# run again.
LONGER := $(wildcard tests/more/*.more.*) tests/races/planted.test.lua \
  tests/machine-code/machine-code.test.sh tests/goals/gates.test.lua

.PHONY: check-more longer
check-more: $(RUNNER)
	@tests/run.sh --records tests/more/records $(LONGER)
# What it runs, for tests/more/records.test.sh.
longer:
	@printf '%s\n' $(LONGER)
