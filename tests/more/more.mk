# make check-more: what takes longer. Its records, in tests/more/records, are
# committed; what a record holds for is not run again.
.PHONY: check-more
check-more: $(RUNNER)
	@tests/run.sh --records tests/more/records $$(tests/more/longer.sh)
