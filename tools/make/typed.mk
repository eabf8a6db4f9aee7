# What a reader types is data: no sign in it is read by make or by the shell.

# Make itself parts names at these, or the shell gives them a meaning.
SIGNS := ' " ; & | < > ( ) [ ] { } * ? ` \ $$ \# : % =
signs_in = $(strip $(foreach s,$(SIGNS),$(findstring $s,$1)))
$(if $(call signs_in,$(CURDIR))$(word 2,$(CURDIR)),$(error make cannot build in \
  '$(CURDIR)': move the tree to a path without blanks and signs like ' or ;))
$(if $(call signs_in,$(MAKECMDGOALS)),$(error There is no goal with a \
  $(firstword $(call signs_in,$(MAKECMDGOALS))) in its name; 'make' alone lists \
  them))

# What may be set after make; anything else must be a toggle.
SETTINGS := SHAPES SEEDS DISTRIBUTIONS ITERS ORDER MULTIPROCESSORS TARGET \
  ARCH AGAINST JSON FLUSH_L2 GATE CC CXX CUDA_HOME LOCKED PORT V EXPERIMENT \
  STAGE RANKS EXCHANGE SAMPLE SITE DIR MINE OFFLINE SEED LEVEL STUDENT \
  DRAFT ONLY FILE FLAGS ARGS LIMIT BLOCKS
# Dollars in a value are signs as all others are.
typed = $(sort $(SETTINGS) $(foreach v,$(MAKEOVERRIDES),$(firstword \
  $(subst =, ,$v))))
$(foreach v,$(typed),$(if $(filter command environment,$(firstword \
  $(origin $v))),$(eval override $v := $$(value $v))))
# One word of the shell's
quoted = '$(subst ','\'',$1)'
each_quoted = $(foreach w,$1,$(call quoted,$w))
