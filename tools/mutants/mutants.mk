# make mutants [STAGE=7]: each mistake of the stages is built and judged.
MUTATED := $(if $(STAGE),$(or $(call full_name,$(STAGE)),$(call full_name,\
  stage$(STAGE)),$(if $(filter mutants,$(MAKECMDGOALS)),$(error There is no \
  stage '$(STAGE)'; the stages here: $(STAGES)))),$(STAGES))
# What compiles and links a kernel, handed on in words.
JUDGING = COMPILE_INSTRUMENTED='$(CXX) $(SIMT_CXXFLAGS_INSTRUMENTED) -w' \
  COMPILE_PLAIN='$(CXX) $(SIMT_CXXFLAGS_PLAIN) -w' LINK='$(CXX)' \
  LINK_WITH='$(CPU_HARNESS) $(SIMT_OBJECTS) $(SIMT_LDFLAGS) $(LIBRARIES)' \
  COMPILE_DEVICE='$(if $(CUDA),$(NVCC) -std=c++17 -O3 -I. $(call gencode,90a) \
  -cubin --objdir-as-tempdir -w)' MAKE='$(MAKE)'
.PHONY: mutants
mutants: $(CPU_HARNESS) $(SIMT_OBJECTS) | $(SIMT_HEADERS) need-headers \
    need-python
	@status=0; for s in $(MUTATED); do $(JUDGING) \
	  tools/mutants/judge/judge.py $$s || status=1; done; exit $$status
