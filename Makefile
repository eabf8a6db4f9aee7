# The only entry point. A stage goal selects, a verb acts on what is selected:
#   make stage1 bench        make stage0 stage1 check        make check-all
# `make` alone says what can be run here.

ifndef LOCKED
# Two makes in one tree take turns: this one runs the goals under a lock.
goals := $(or $(MAKECMDGOALS),help)
.PHONY: $(goals) under-lock
$(goals): under-lock ; @:
under-lock:
	@mkdir -p build
	+@flock -n build/.lock true || echo "Waiting for another make here." >&2
	+@flock build/.lock $(MAKE) --no-print-directory LOCKED=1 $(goals)
else

include tools/make/rules.mk

endif
