# make tensors: records the inputs `real` anew, from the model that
# `setup.sh model` fetches.

TENSORS := $(BUILD)/tools/tensors
$(eval $(call tool,tensors,$(wildcard tools/tensors/*.c) \
  common/harness/problem/half.c common/harness/recorded/recorded.c \
  common/harness/program/reason.c))

.PHONY: tensors
tensors: $(TENSORS)
	@tools/tensors/tensors.sh $(TENSORS) 1 5
