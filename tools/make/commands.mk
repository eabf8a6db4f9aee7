# What compiles and links kernels, for programs that do so themselves: a line
# NAME=COMMAND each.

PROGRAM_FLAGS := -include common/simt/host/program.h -Icommon/simt/host/include \
  -fexceptions -frtti -fno-threadsafe-statics -Wno-unused
define COMMANDS
COMPILE_INSTRUMENTED=$(CXX) $(SIMT_CXXFLAGS_INSTRUMENTED) -w
COMPILE_PLAIN=$(CXX) $(SIMT_CXXFLAGS_PLAIN) -w
LINK=$(CXX)
LINK_WITH=$(CPU_HARNESS) $(SIMT_OBJECTS) $(SIMT_LDFLAGS) $(LIBRARIES)
COMPILE_DEVICE=$(if $(CUDA),$(NVCC) -std=c++17 -O3 -I. $(call gencode,90a) \
  -cubin --objdir-as-tempdir -w)
PROGRAM_PLAIN=$(CXX) $(SIMT_CXXFLAGS_PLAIN) $(PROGRAM_FLAGS)
PROGRAM_WATCHED=$(CXX) $(SIMT_CXXFLAGS_BOUNDS) $(PROGRAM_FLAGS)
PROGRAM_LINK=$(CXX) $(SIMT_OBJECTS) $(SIMT_LDFLAGS) -ldl -lm
PROGRAM_NVCC=$(NVCC) -std=c++17 -O3 -lineinfo -ccbin $(CXX) \
  $(call gencode,$(ARCH))
endef
$(BUILD)/commands: FORCE
	@mkdir -p $(@D)
	@$(file >$@,$(COMMANDS)):

.PHONY: program-needs mutant-needs
program-needs: need-headers $(SIMT_HEADERS) $(SIMT_OBJECTS)
mutant-needs: $(CPU_HARNESS) $(SIMT_OBJECTS) $(BUILD)/commands \
    | $(SIMT_HEADERS) need-headers
