# The only entry point. A stage goal selects, a verb acts on what is selected:
#   make stage1 bench        make stage0 stage1 check        make check-all
# `make` alone says what can be run here.

.DEFAULT_GOAL := help
# Of an environment, what would change the way that scripts and programs read.
unexport CDPATH POSIXLY_CORRECT
# A thread that has nothing to do leaves its core to who has, which on two cores
# with two programs makes the references six times as fast.
export OMP_WAIT_POLICY ?= passive
include tools/make/typed.mk
# With -n or -q nothing is built, so nobody has to wait for anybody.
only_look := $(foreach f,n q,$(findstring $f,$(filter-out --%,$(firstword \
  -$(MAKEFLAGS)))))

ifeq ($(LOCKED)$(strip $(only_look)),)
# Two makes in one tree take turns: this one runs the goals under a lock, but for
# watch, which waits for its reader and starts a make for each grade.
goals := $(or $(MAKECMDGOALS),help)
.PHONY: $(goals) under-lock
$(goals): under-lock ; @:
under-lock:
	@sh tools/setup/ready.sh build
	@mkdir -p build
	+@$(if $(filter watch,$(goals)),,flock -n build/.lock true || \
	  echo "Waiting for another make here." >&2)
	+@$(if $(filter watch,$(goals)),,flock build/.lock )$(MAKE) \
	  --no-print-directory LOCKED=1 $(if $(filter lab% stage% bughunt,\
	  $(goals)),$(patsubst test,check,$(goals)),$(goals))
else

include $(addprefix tools/make/,words.mk here.mk ccache.mk asked.mk flags.mk \
  stages.mk architectures.mk tools.mk selected.mk)
include tools/mutants/mutants.mk tools/labs/labs.mk \
  tools/bughunt/bughunt.mk \
  tools/timeline/timeline.mk tools/tensors/tensors.mk tools/scales/scales.mk \
  floor/floor.mk
include tools/program/program.mk tools/make/verbs.mk tools/make/goals.mk
include tools/workshop/workshop.mk
include libfp8attention/library.mk \
  $(foreach s,$(OTHER_STAGES),$(call folder_of,$s)/stage.mk) \
  tools/labs/ring/ring.mk
include book/book.mk tests/tests.mk
# One that a full disk has cut off lacks the end of its last line.
-include $(shell find $(BUILD) -name '*.d' -exec grep -lzP '\n\z' {} + \
  2>/dev/null)

endif
