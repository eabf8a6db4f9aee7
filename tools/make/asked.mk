# What was asked for: stages, verbs, toggles, and the arms that they make.

# By number: stage9 before stage10.
STAGES := $(shell tools/source/ladder.sh)
# Those that are no kernel alone have rules of their own.
OTHER_STAGES := $(notdir $(patsubst %/stage.mk,%,$(wildcard \
  stage[0-9]*_*/stage.mk further/*/stage.mk)))
FURTHER := $(notdir $(wildcard further/*))
folder_of = $(if $(filter $1,$(FURTHER)),further/)$(strip $1)
kernels_of = $(foreach s,$1,$(call folder_of,$s)/kernel.cu)
short_name = $(firstword $(subst _, ,$1))
full_name = $(strip $(foreach s,$(STAGES),$(if $(filter $s $(firstword \
  $(subst _, ,$s)),$1),$s)))
STAGE_GOALS := $(STAGES) $(foreach s,$(STAGES),$(firstword $(subst _, ,$s)))
OTHER_GOALS := $(foreach s,$(OTHER_STAGES),$s $(call short_name,$s))
PICKED := $(filter $(STAGE_GOALS) $(OTHER_GOALS),$(MAKECMDGOALS))
OTHERS_PICKED := $(foreach s,$(OTHER_STAGES),$(if $(filter $s $(call \
  short_name,$s),$(PICKED)),$s))
SELECTED := $(if $(PICKED),$(filter $(foreach p,$(PICKED),$(call \
  full_name,$p)),$(STAGES)),$(STAGES))
include tools/labs/asked.mk
VERBS := check bench count race resources compare profile tune peers timeline
ASKED := $(filter $(VERBS),$(MAKECMDGOALS))
export PICKED GATE SHAPES ITERS CC CXX

# Whatever else was set on the command line must be a toggle of each stage.
name_of = $(firstword $(subst =, ,$1))
# Make puts a backslash before a blank inside a value.
TOGGLES := $(foreach v,$(subst \$(space),+,$(MAKEOVERRIDES)),\
  $(if $(filter $(SETTINGS),$(call name_of,$v)),,$v))
# In the environment a toggle would have no effect, and nobody would notice.
KNOWN_TOGGLES := $(shell sed -n 's,^// toggle \([A-Z0-9_]*\):.*,\1,p' \
  $(call kernels_of,$(STAGES)) | sort -u)
LOST := $(strip $(foreach t,$(KNOWN_TOGGLES),\
  $(if $(filter environment,$(origin $t)),$t)))
$(if $(LOST),$(error The environment sets $(LOST), which has no effect there: \
  write it after make, as in 'make stage1 check USE_CP_ASYNC=0'))
# A lab's toggles are those of the reader's kernel.
toggles_of = $(if $(filter $(LABS),$1),$(MINE)/)$1
# What an arm is called is known by one program; without a toggle nobody asks.
ask_toggles = $(shell command -v python3 >/dev/null || echo "Toggles need \
  python3: 'make setup' installs it." >&2; \
  CXX=$(call quoted,$(CXX)) tools/toggles/toggles.py $1)
arm_of = $(if $(strip $2),$(or $(call ask_toggles,allowed-arm $(call \
  toggles_of,$1) $(call each_quoted,$2)),$(error stopped)),default)
stage_arm = $1/$(call arm_of,$1,$2)
ARMS := $(foreach s,$(SELECTED),$(call stage_arm,$s,$(TOGGLES)))

# AGAINST="stage0 stage1:USE_CP_ASYNC=0 USE_CP_ASYNC=0,LOAD_BYTES=1": arms to
# time in turn with each, of that stage, or of the same.
known_stage = $(or $(call full_name,$1),$(error AGAINST names $1, which is no \
  stage; the stages here: $(STAGES)))
named_arm = $(call stage_arm,$(call known_stage,$(firstword $1)),$(subst \
  $(comma), ,$(word 2,$1)))
against_arm = $(if $(filter stage%,$2),$(call named_arm,$(subst :, ,$2)),\
  $(call stage_arm,$1,$(subst $(comma), ,$2)))
AGAINST_ARMS := $(strip $(foreach s,$(SELECTED),$(foreach a,$(AGAINST),\
  $(call against_arm,$s,$a))))
# Of several stages, each is left out where it would meet itself.
$(if $(filter 1,$(words $(ARMS))),$(if $(filter $(ARMS),$(AGAINST_ARMS)),\
  $(error AGAINST names $(ARMS), which is what it is to be compared with)))
