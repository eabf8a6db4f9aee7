# The programs and libraries of the stages. One pattern serves every stage: a new
# folder stageN_name with kernel.cu and driver.c needs no edit here.

# stage1_cp_async/USE_CP_ASYNC-0.LOAD_BYTES-1 -> its parts
stage_part = $(firstword $(subst /, ,$1))
arm_part = $(word 2,$(subst /, ,$1))
# Where its kernel lies, and its driver.c
kernel_of = $(if $(filter $(LABS),$(stage_part)),$(BUILD)/labs/,$(if $(filter \
  warmup,$(stage_part)),labs/))$(call folder_of,$(stage_part))
driver_of = $(patsubst %,%/driver.c,$(if $(filter $(WARMUPS),$(stage_part)),\
  tools/labs/warmup,$(call folder_of,$(call begun_with,$(stage_part))))) $(if \
  $(filter bughunt,$(stage_part)),$(BUILD)/labs/bughunt/kernel.cu)
# The stage that a lab or a hunt begins with
begun_with = $(if $(filter bughunt,$1),$(shell sed -n 's/^STAGE=//p' \
  '$(or $(MINE),mine)/bughunt/hunt' 2>&-),$(if $(filter $(LABS),$1),$(shell \
  sed -n 's/^stage: *//p' labs/*/$1.lab),$1))
# Arms are spelled by tools/toggles: A-0.B-1, or default.
defines = $(addprefix -D,$(subst -,=,$(subst ., ,$(filter-out default,$(call \
  arm_part,$1)))))

is_lab = $(filter $(patsubst %,%/%,$(filter-out bughunt,$(LABS))),$1)

# A file a concern; gpu/ and cpu/ hold what differs by target.
HARNESS_SOURCES := $(filter-out %/object.c,$(wildcard common/harness/*.c \
  common/harness/judge/*.c))
harness_objects = $(patsubst common/harness/%.c,$(BUILD)/$1/harness/%.o,\
  $(HARNESS_SOURCES) $(wildcard common/harness/$1/*.c))
GPU_HARNESS := $(call harness_objects,gpu) $(BUILD)/gpu/harness/empty_kernel.o
CPU_HARNESS := $(call harness_objects,cpu)
LIBRARIES := -ljansson -lpthread -ldl -lrt -lm -fopenmp

program = $(BUILD)/$1/$2/program

# C is compiled the same way for both targets.
define harness_rule
$(BUILD)/$1/harness/%.o: common/harness/%.c common/harness/settings.json \
    $(TOOLCHAIN) | need-headers
	$$(building)$(CC) $(CFLAGS) -c -o $$@ $$<
endef
$(foreach t,gpu cpu,$(eval $(call harness_rule,$t)))

define driver_rule
$(BUILD)/$1/%/driver.o: $$$$(call driver_of,$$$$*) $(TOOLCHAIN) | need-headers
	$$(building)$(CC) $(CFLAGS) -c -o $$@ $$<
endef
$(foreach t,gpu cpu instrumented,$(eval $(call driver_rule,$t)))

$(BUILD)/gpu/harness/empty_kernel.o: common/device/interface/empty_kernel.cu \
    $(TOOLCHAIN) | need-nvcc
	$(building)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,$(ARCH)) -c -o $@ $<

$(BUILD)/gpu/%/kernel.o: $$(call kernel_of,$$*)/kernel.cu $(TOOLCHAIN) \
    | need-nvcc
	$(building)$(NVCC_C) $(KERNEL_FLAGS) $(call defines,$*) \
	  -MMD -MP -c -o $@ $< 2>$@.ptxas; status=$$?; \
	  sed '/ptxas info/d; /bytes stack/d' $@.ptxas >&2; exit $$status

$(BUILD)/cpu/%/kernel.o: $$(call kernel_of,$$*)/kernel.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_PLAIN) $(if $(call is_lab,$*),$(SIMT_UNSET)) \
	  $(call defines,$*) -MMD -MP -c -o $@ $< $(if $(call is_lab,$*),2>$@.said; \
	  status=$$?; cat $@.said >&2; exit $$status)

$(BUILD)/instrumented/%/kernel.o: $$(call kernel_of,$$*)/kernel.cu \
    $(TOOLCHAIN) | $(SIMT_HEADERS) need-headers
	$(building)$(CXX) $(SIMT_CXXFLAGS_INSTRUMENTED) $(if $(call is_lab,$*),\
	  $(SIMT_BOUNDS) $(SIMT_UNSET)) \
	  $(call defines,$*) -MMD -MP -c -o $@ $<

# What an object says about itself: stage, arm, kernel hash, compiler, flags.
# about_object STAGE/ARM,FLAGS,COMPILER: a C compiler's call with all of it;
# without a hash there is no object.
about_object = hash=$$(tools/results/kernel_hash.py $(call kernel_of,$1)) && \
  compiler=$$($3 --version | grep -E 'release|[gG]\+\+|clang' | head -n 1) && \
  $(CC) $(CFLAGS) -DSTAGE='"$(call stage_part,$1)"' \
  -DARM='"$(call arm_part,$1)"' -DKERNEL_HASH="\"$$hash\"" \
  -DFLAGS='"$(strip $2 $(call defines,$1))"' -DCOMPILER="\"$$compiler\""
$(BUILD)/gpu/%/object.o: common/harness/object.c $(BUILD)/gpu/%/kernel.o
	@$(call about_object,$*,$(NVCC_SHOWN),$(NVCC)) -c -o $@ $<
define simt_program_rules
$(BUILD)/$1/%/object.o: common/harness/object.c $(BUILD)/$1/%/kernel.o
	@$$(call about_object,$$*,$$(SIMT_SHOWN),$$(CXX)) -c -o $$@ $$<
$(BUILD)/$1/%/program: $(addprefix $(BUILD)/$1/%/,kernel.o object.o driver.o) \
    $(CPU_HARNESS) $(SIMT_OBJECTS)
	$$(building)$(CXX) -o $$@ $$^ $(SIMT_LDFLAGS) $(LIBRARIES)
endef
$(foreach t,cpu instrumented,$(eval $(call simt_program_rules,$t)))

$(BUILD)/gpu/%/program: $(addprefix $(BUILD)/gpu/%/,kernel.o object.o driver.o) \
    $(GPU_HARNESS)
	$(building)$(CXX) -o $@ $^ -L$(CUDA)/lib64 -lcudart_static $(LIBRARIES)

$(BUILD)/gpu/%/kernel.so: $(addprefix $(BUILD)/gpu/%/,kernel.o object.o)
	$(building)$(CXX) -shared -Wl,-Bsymbolic -o $@ $^ -L$(CUDA)/lib64 -lcudart_static \
	  -lpthread -ldl -lrt

# Machine code and ptxas' own report, for one architecture: %/sm_90a.cubin
define cubin_rule
$(BUILD)/gpu/%/sm_$1.cubin: $$$$(call kernel_of,$$$$*)/kernel.cu \
    $(TOOLCHAIN) | need-nvcc
	@mkdir -p $$(@D)
	@$(NVCC) -std=c++17 -O3 -I. -ccbin $(CXX) $(call gencode,$1) \
	  $$(call defines,$$*) -MMD -MP -Xptxas -v -cubin -o $$@ $$< 2>$$@.ptxas \
	  || { cat $$@.ptxas >&2; exit 1; }
endef
$(foreach a,$(sort 80 89 90a 100 120 $(ARCH)),$(eval $(call cubin_rule,$a)))
