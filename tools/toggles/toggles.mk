# The program that reads toggles and spells arms. make asks it while it still
# reads its own files, so this file stands alone, too: toggles.sh builds by it.

TOGGLES_SOURCES := $(addprefix tools/toggles/,toggles.c declared.c allowed.c) \
  $(addprefix tools/common/,words.c command.c) tools/source/kernel_path.c \
  common/harness/record/arm.c \
  common/harness/program/reason.c common/harness/program/arguments.c

build/tools/toggles: $(TOGGLES_SOURCES) tools/toggles/declared.h \
    tools/source/source.h common/harness/record/arm.h tools/common/command.h \
    $(wildcard common/harness/program/*.h)
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -I. \
	  -o $@.$$$$ $(filter %.c,$^) && mv $@.$$$$ $@
