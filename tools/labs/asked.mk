# Labs: goals that select, as stages do. The kernel is the reader's.

# Those that are graded as labs are, and the hunt, which has its own verbs.
LABS := $(patsubst %.lab,%,$(notdir $(wildcard labs/*/*.lab))) bughunt
# The lab without attention, and the book's kernel of it
WARMUPS := labw warmup
PICKED_LABS := $(filter $(LABS),$(MAKECMDGOALS))
# Of a stage that is no kernel alone: tools/labs/ring/ring.mk
OTHER_LABS := $(if $(OTHER_STAGES),$(patsubst %.lab,%,$(notdir $(shell \
  grep -lE '^stage: *($(subst $(space),|,$(OTHER_STAGES)))$$' labs/*/*.lab))))
OTHER_LABS_PICKED := $(filter $(OTHER_LABS),$(PICKED_LABS))
# Of a program with its own main
PROGRAM_LABS := $(if $(PICKED_LABS),$(patsubst %.lab,%,$(notdir $(shell \
  grep -l '^stage: *hopper$$' labs/*/*.lab))))
HUNT := $(filter bughunt,$(PICKED_LABS))
$(if $(HUNT),$(if $(word 2,$(PICKED_LABS)),$(error A hunt and labs are not \
  asked for together)))
LAB_GOAL := $(if $(HUNT),hunt-verb,lab-verb)
LAB_VERBS := grade hint watch solution reset
ASKED_LAB := $(filter $(LAB_VERBS),$(MAKECMDGOALS))
MINE := $(or $(MINE),mine)
export MINE
$(if $(PICKED_LABS),$(if $(PICKED),$(error Labs and stages are not asked for \
  together: '$(firstword $(PICKED_LABS))' and '$(firstword $(PICKED))')))
$(if $(ASKED_LAB),$(if $(PICKED_LABS),,$(error $(firstword $(ASKED_LAB)) needs \
  a lab, as in 'make lab2 $(firstword $(ASKED_LAB))'; the labs here: $(LABS))))
$(if $(word 2,$(ASKED_LAB)),$(error One of $(ASKED_LAB) at a time))
SELECTED := $(if $(PICKED_LABS),$(filter-out \
  $(OTHER_LABS) $(PROGRAM_LABS),$(PICKED_LABS)),$(SELECTED))
# lab2 -> stage2_wmma_pv, bughunt -> what is noted in its folder; a stage is its
# own
hunted = $(filter $(STAGES),$(shell sed -n 's/^STAGE=//p' \
  $(call quoted,$(MINE)/bughunt/hunt) 2>/dev/null))
book_stage = $(strip $(if $(filter bughunt,$1),$(hunted),$(if $(filter \
  $(LABS),$1),$(shell sed -n 's/^stage: *//p' labs/*/$1.lab),$1)))
