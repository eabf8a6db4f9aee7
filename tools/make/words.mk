# What all rules below share: names of settings, folders, and a few words.

# What may be set after make; anything else must be a toggle.
SETTINGS := SHAPES SEEDS DISTRIBUTIONS ITERS ORDER TARGET ARCH AGAINST JSON \
  FLUSH_L2 GATE CC CXX CUDA_HOME LOCKED PORT V EXPERIMENT
TARGET ?= auto
BUILD := build
# One short line for each thing built; V=1 shows the commands.
SHOW := $(if $(V),,@)
say = @$(if $(V),true,echo "  building $@")
comma := ,
empty :=
space := $(empty) $(empty)

.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:
