# How things are compiled, and what is built anew when that changes.

SAME_PATHS := -ffile-prefix-map=$(CURDIR)=.
CFLAGS := -std=c11 -D_GNU_SOURCE -O3 -g -fPIC -fopenmp -Wall -Wextra -Werror \
  -I. -isystem $(CUDA_INCLUDE) $(SAME_PATHS) -MMD -MP
# Note 128, "loop is not reachable": toggles leave parts of a kernel out.
NVCC_FLAGS := -std=c++17 -O3 -I. -ccbin $(CXX) -Xcompiler -fPIC \
  -diag-suppress 128 \
  -Xcompiler $(SAME_PATHS) --objdir-as-tempdir
KERNEL_FLAGS := $(NVCC_FLAGS) $(call gencode,$(ARCH)) -Xptxas -v
NVCC_SHOWN := nvcc -std=c++17 -O3 $(call gencode,$(ARCH))
include common/simt/simt.mk
SIMT_SHOWN := g++ -std=c++17 -O2

# The commands that built everything here: when one changes, all is built anew.
# Tests run makes side by side: each has a file of its own.
TOOLCHAIN := $(BUILD)/toolchain
$(TOOLCHAIN): FORCE
	@mkdir -p $(@D); new=$@.$$$$; \
	printf '%s\n' '$(CC) $(CXX) $(CFLAGS)' \
	  '$(CUDA) $(KERNEL_FLAGS)' \
	  '$(SIMT_CXXFLAGS_PLAIN) $(SIMT_CXXFLAGS_INSTRUMENTED) $(SIMT_LDFLAGS)' | \
	  sed 's|=$(CURDIR)=|=.=|g' >$$new; \
	cmp -s $$new $@ && rm $$new || mv $$new $@
FORCE:
