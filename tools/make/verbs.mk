# A stage goal selects, a verb acts: what each verb needs, and the one script
# that runs them.

NEEDED := $(sort $(if $(filter check bench,$(ASKED)),$(BUILT)) \
  $(if $(filter profile,$(ASKED)),$(BOUNDS) \
  $(if $(filter gpu,$(HERE)),$(BUILT))) \
  $(if $(filter bench,$(ASKED)),$(if $(filter cpu,$(HERE)),$(TRACED),\
  $(OTHERS) $(RESOURCES) \
  $(foreach a,$(ARMS) $(AGAINST_ARMS),$(BUILD)/gpu/$a/sm_$(ARCH).cubin))) \
  $(if $(filter tune,$(ASKED)),$(TUNE) $(BUILT)) \
  $(if $(filter peers,$(ASKED)),$(if $(filter gpu,$(HERE)),$(BUILT) $(OTHERS) \
  $(FLOOR_MODEL) $(ARMS:%=$(BUILD)/gpu/%/kernel.so))) \
  $(if $(filter timeline,$(ASKED)),$(TIMELINE_NEEDED)) \
  $(if $(filter count race,$(ASKED)),$(TRACED)) \
  $(if $(filter race,$(ASKED)),$(if $(filter gpu,$(HERE)),$(BUILT))) \
  $(if $(filter resources,$(ASKED)),$(CUBINS) $(PTX) $(RESOURCES)) \
  $(if $(filter compare,$(ASKED)),$(COMPARE)))

OPTIONS := $(foreach s,$(SHAPES),--shape $s) \
  $(if $(SEEDS),--seeds $(subst $(space),$(comma),$(strip $(SEEDS)))) \
  $(foreach d,$(DISTRIBUTIONS),--distribution $d) \
  $(if $(ITERS),--iters $(ITERS)) $(if $(filter 1,$(FLUSH_L2)),--flush-l2)

.PHONY: $(STAGE_GOALS) $(VERBS) verbs build
$(STAGE_GOALS): $(if $(ASKED),verbs,build) ; @:
build: $(FIRST) $(BUILT) $(if $(CUDA_INCLUDE),$(TRACED))
	@for p in $(BUILT); do echo "built $$p"; done
$(VERBS): verbs ; @:
verbs: $(FIRST) $(NEEDED)
	@tools/make/run-verbs.sh '$(ASKED)' '$(HERE)' '$(ARMS)' '$(AGAINST_ARMS)' \
	  '$(JSON)' $(OPTIONS)
