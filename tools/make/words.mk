# What all rules below share: folders, and a few words.

TARGET ?= auto
BUILD := build
# One short line for each thing built; V=1 shows the commands.
SHOW := $(if $(V),,@)
say = @$(if $(V),true,echo "  building $@")
comma := ,
empty :=
space := $(empty) $(empty)
define newline


endef

.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:
