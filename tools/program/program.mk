# A program of the reader's own, with its own main:
#   make run FILE=mine/x.cu       make race FILE=...       make count FILE=...
# FILE may name several; FLAGS go to the compiler, ARGS to the program.

PROGRAM := $(filter FILE=%,$(MAKEOVERRIDES))
PROGRAM_VERBS := $(if $(PROGRAM),$(filter run race count,$(MAKECMDGOALS)))
$(if $(PROGRAM),$(if $(PICKED)$(PICKED_LABS),$(error FILE is a program of its \
  own: leave out $(firstword $(PICKED) $(PICKED_LABS)))))
$(if $(PROGRAM),$(if $(PROGRAM_VERBS),,$(error FILE goes with run, race or \
  count, as in 'make race FILE=mine/x.cu')))

PROGRAM_FLAGS := -include common/simt/host/program.h -Icommon/simt/host/include \
  -fexceptions -frtti -fno-threadsafe-statics -Wno-unused
export PROGRAM_PLAIN = $(CXX) $(SIMT_CXXFLAGS_PLAIN) $(PROGRAM_FLAGS)
export PROGRAM_WATCHED = $(CXX) $(SIMT_CXXFLAGS_BOUNDS) $(PROGRAM_FLAGS)
export PROGRAM_LINK = $(CXX) $(SIMT_OBJECTS) $(SIMT_LDFLAGS) -ldl -lm
export PROGRAM_NVCC = $(NVCC) -std=c++17 -O3 -lineinfo -ccbin $(CXX) \
  $(call gencode,$(ARCH))
export PROGRAM_CAPABILITY = $(CAPABILITY)

.PHONY: run program-verbs
run: program-verbs ; @:
$(if $(PROGRAM),race count): program-verbs ; @:
program-verbs: need-python $(if $(filter cpu,$(HERE)),need-headers \
    $(SIMT_HEADERS) $(SIMT_OBJECTS),need-nvcc)
	@SIMT_ORDER=$(call quoted,$(ORDER)) python3 tools/program/program.py $(HERE) $(call quoted,$(FILE)) \
	  $(call quoted,$(FLAGS)) $(call quoted,$(ARGS)) \
	  $(call quoted,$(LIMIT)) $(call quoted,$(BLOCKS)) \
	  $(or $(PROGRAM_VERBS),run)

# The same in a folder that can be put anywhere.
.PHONY: tool
tool: need-python need-headers $(SIMT_HEADERS) $(SIMT_OBJECTS)
	@tools/program/pack.py $(BUILD)/simt-check $(CUDA_INCLUDE) $(SIMT_OBJECTS)
