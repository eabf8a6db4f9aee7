# make tensors: records the inputs `real` anew, from the model that
# `setup.sh model` fetches.

.PHONY: tensors
tensors:
	@[ -e .deps/model/stamp ] || { echo "The model is not here:\
	 'sh tools/setup/setup.sh model' fetches it." >&2; exit 3; }
	@.deps/model/bin/python tools/tensors/record.py common/tensors/text.txt \
	  common/tensors/minilm.qkv 1 5
