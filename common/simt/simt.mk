# How the CPU executor is built. Kernels need g++: clang splits 16-byte
# accesses, so that its counters describe another kernel.

SIMT_SOURCES := $(wildcard common/simt/*.c common/simt/*/*.c)
SIMT_OBJECTS := $(patsubst common/simt/%.c,$(BUILD)/cpu/simt/%.o,\
  $(SIMT_SOURCES))
SIMT_HEADERS := $(addprefix $(BUILD)/simt-include/,cuda_fp16.h cuda_fp16.hpp \
  cuda_bf16.h cuda_bf16.hpp cuda_fp8.h cuda_fp8.hpp)
SIMT_SAME_PATHS := -ffile-prefix-map=$(CURDIR)=.

# Stacks of fibres and thread-local blocks are easiest to tell apart at fixed
# addresses, hence no position-independent code. Frame pointers tell by which
# calls a thread of an instrumented kernel has come: see run/scheduler.c.
SIMT_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -fno-pie \
  -fno-omit-frame-pointer -Wno-psabi -I. -isystem $(CUDA_INCLUDE) \
  $(SIMT_SAME_PATHS)

# Without tree-sra a float4 stays one access; without sibling calls the return
# address of a call names its line; stack-clash protection makes a local array
# that is too large hit the guard page (of 2^12 bytes, where aarch64's gcc would
# count on 2^16) and not the next fibre; and registers that a product reads lie
# where no other variable will. Lines are asked for, and never where a variable
# is, which takes the compiler a fourth of its time.
SIMT_CXXFLAGS_PLAIN := -x c++ -std=c++17 -O2 -g -fno-pie -fno-exceptions \
  -fno-rtti -fno-strict-aliasing -fno-extern-tls-init -fno-math-errno \
  -fno-optimize-sibling-calls -fno-partial-inlining -fno-var-tracking \
  -fstack-clash-protection --param=stack-clash-protection-guard-size=12 -I. \
  -Icommon/simt/include -I$(BUILD)/simt-include -isystem $(CUDA_INCLUDE) \
  -include common/simt/include/simt_prelude.h $(SIMT_SAME_PATHS) \
  -Wall -Wno-unknown-pragmas -Wno-attributes -Wno-psabi
SIMT_CXXFLAGS_INSTRUMENTED := $(SIMT_CXXFLAGS_PLAIN) -O1 -fno-tree-sra \
  -fno-omit-frame-pointer -fstack-reuse=none -fsanitize=thread \
  --param=tsan-distinguish-volatile=1 \
  --param=tsan-instrument-func-entry-exit=0 -fsanitize-coverage=trace-pc \
  -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset

# Indices beyond their arrays, shifts and casts beyond numbers, and what is not
# aligned, too. Not in stages, whose float operations and stores of four numbers
# at once would be counted otherwise.
SIMT_BOUNDS := \
  -fsanitize=bounds-strict,shift-exponent,float-cast-overflow,alignment
# A reader's variable that nobody has set is the same wrong number in each run.
SIMT_UNSET = $(if $(filter-out 11.%,$(shell \
  $(CXX) -dumpfullversion 2>/dev/null)),\
  -ftrivial-auto-var-init=pattern)
SIMT_CXXFLAGS_BOUNDS := $(SIMT_CXXFLAGS_INSTRUMENTED) $(SIMT_BOUNDS)

SIMT_LDFLAGS := -no-pie -ldw -lelf -ljansson -lpthread

# These take most of the time, and no thread meets others in them.
$(addprefix $(BUILD)/cpu/simt/,access/%.o race/%.o tensor/multiply.o): \
  SIMT_CFLAGS += -fomit-frame-pointer
# Loops over whole matrices
$(BUILD)/cpu/simt/host/blas.o: SIMT_CFLAGS += -O3

$(BUILD)/cpu/simt/%.o: common/simt/%.c common/simt/simt.mk $(BUILD)/toolchain \
    | need-headers
	$(building)$(CC) $(SIMT_CFLAGS) -MMD -MP -c -o $@ $<

# Copies of CUDA's headers with three changes, so that the host compiler makes the
# accesses that the device compiler makes: a __half2 is copied as one 4-byte
# word, and conversions are inlined, as is their memcpy.
SIMT_ALWAYS_INLINE := __attribute__((always_inline))
SIMT_INLINE_MEMCPY := 's/\(::std::\)*memcpy *(/__builtin_memcpy(/'
define SIMT_HEADER_EDITS
/__half2(const __half2 &/,/^}/{
  s/    this->x = src.x;/    memcpy((void *)this, \&src, 4);/
  /    this->y = src.y;/d
}
s/static __attribute__ *((unused))$$/static inline $(SIMT_ALWAYS_INLINE)/
s/^#define __CUDA_HOSTDEVICE_*\(FP8_\)*_$$/& $(SIMT_ALWAYS_INLINE)/
endef
export SIMT_HEADER_EDITS

$(BUILD)/simt-include/%.hpp: $(CUDA_INCLUDE)/%.hpp common/simt/simt.mk
	@mkdir -p $(@D)
	@sed $(SIMT_INLINE_MEMCPY) $< >$@.$$$$ && mv $@.$$$$ $@
$(BUILD)/simt-include/%.h: $(CUDA_INCLUDE)/%.h common/simt/simt.mk
	@mkdir -p $(@D)
	@sed -e "$$SIMT_HEADER_EDITS" -e $(SIMT_INLINE_MEMCPY) $< >$@.$$$$ && mv $@.$$$$ $@
