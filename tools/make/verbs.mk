# A stage goal selects, a verb acts: what each verb needs, and the one script
# that runs them.

# gpu_or_cpu WITH-A-GPU,WITHOUT
gpu_or_cpu = $(if $(filter gpu,$(HERE)),$1,$2)
NEEDED_check := $(BUILT)
NEEDED_bench := $(BUILT) $(call gpu_or_cpu,$(OTHERS) $(foreach \
  a,$(ARMS) $(AGAINST_ARMS),$(BUILD)/gpu/$a/sm_$(ARCH).cubin),$(INSTRUMENTED))
NEEDED_count := $(INSTRUMENTED)
NEEDED_race := $(INSTRUMENTED) $(call gpu_or_cpu,$(BUILT))
NEEDED_resources := $(CUBINS) $(PTX)
NEEDED_profile := $(call gpu_or_cpu,$(BUILT))
NEEDED_tune := $(BUILT)
NEEDED_peers := $(call gpu_or_cpu,$(BUILT) $(OTHERS) \
  $(ARMS:%=$(BUILD)/gpu/%/kernel.so) \
  $(BUILD)/gpu/libfp8attention/libfp8attention.so)
NEEDED_timeline := $(TIMELINE_NEEDED)
NEEDED := $(sort $(foreach v,$(ASKED),$(NEEDED_$v)))

# option NAME,VALUE
option = $(if $2,--$1 $(call quoted,$2))
OPTIONS := $(foreach s,$(SHAPES),$(call option,shape,$s)) \
  $(call option,seeds,$(subst $(space),$(comma),$(strip $(SEEDS)))) \
  $(foreach d,$(DISTRIBUTIONS),$(call option,distribution,$d)) \
  $(call option,order,$(ORDER)) $(call option,iters,$(ITERS)) \
  $(call option,multiprocessors,$(MULTIPROCESSORS)) \
  $(if $(filter 1,$(FLUSH_L2)),--flush-l2)

.PHONY: $(STAGE_GOALS) $(OTHER_GOALS) $(VERBS) verbs ladder-verbs build
$(STAGE_GOALS): $(if $(ASKED),verbs,build) ; @:
$(foreach s,$(OTHER_STAGES),$(eval $s $(call short_name,$s): \
  $(if $(ASKED),verbs,$s-build) ; @:))
$(PICKED_LABS): $(if $(ASKED),verbs,$(LAB_GOAL)) ; @:
build: $(FIRST) $(BUILT) $(if $(CUDA_INCLUDE),$(INSTRUMENTED))
	@$(if $(PICKED),for p in $(BUILT); do echo "built $$p"; done,:)
$(if $(PROGRAM),$(filter-out race count,$(VERBS)),$(VERBS)): verbs ; @:
verbs: $(if $(SELECTED),ladder-verbs) $(patsubst %,%-verbs,$(OTHERS_PICKED) \
  $(OTHER_LABS_PICKED)) ; @:
ladder-verbs: $(FIRST) $(NEEDED)
	@tools/make/run-verbs.sh '$(ASKED)' '$(HERE)' '$(ARMS)' '$(AGAINST_ARMS)' \
	  $(call quoted,$(or $(JSON),$(addprefix $(MINE)/,$(firstword \
	  $(PICKED_LABS))))) $(OPTIONS)
