# The programs of the arms that were asked for.

HERE := $(if $(filter gpu cpu,$(BEST)),$(BEST),$(error TARGET is gpu or cpu, \
  not '$(TARGET)'))
BUILT := $(foreach a,$(ARMS),$(call program,$(HERE),$a))
INSTRUMENTED := $(foreach a,$(ARMS),$(call program,instrumented,$a))
OTHERS := $(if $(filter gpu,$(HERE)),\
  $(foreach a,$(AGAINST_ARMS),$(BUILD)/gpu/$a/kernel.so))
