# The only entry point. A stage goal selects, a verb acts on what is selected:
#   make stage1 bench        make stage0 stage1 check        make check-all
# `make` alone says what can be run here. What is typed goes to tools/make as it
# is, which has the rules of tools/make/rules.mk build what it needs.

.DEFAULT_GOAL := help
# What a reader types is data: make looks for no $ in it.
$(foreach v,$(foreach w,$(MAKEOVERRIDES),$(firstword $(subst =, ,$w))),\
  $(if $(filter command,$(firstword $(origin $v))),\
  $(eval override $v := $$(value $v))))
export GOALS = $(filter-out setup downloads,$(MAKECMDGOALS))
export OFFLINE DIR

# Once for all goals. -n says what it would do; for -q there is always something.
main = $(if $(subst x$@,,x$(firstword $(GOALS) help)),@:,$(if \
  $(findstring q,$(firstword -$(MAKEFLAGS))),,+)@command -v python3 >/dev/null \
  || { echo "This needs python3: 'make setup' installs it." >&2; exit 3; }; \
  exec python3 -S tools/make)
# Those that a file or folder here has the name of, too
here := $(filter-out Makefile,$(wildcard $(MAKECMDGOALS)))
.PHONY: help setup downloads $(here)
help $(here): ; $(main)
.DEFAULT: ; $(main)
Makefile: ;
setup: ; @tools/setup/setup.sh
downloads: ; @tools/setup/downloads.py "$$DIR"
