# make bughunt SEED=7 [STAGE=3] [LEVEL=1]: one mistake to be found. The kernel
# is the reader's, as a lab's is.
.PHONY: bughunt hunt-verb
hunt-verb: $(LIMITED) $(BUILD)/tools/draw | $(SIMT_HEADERS) need-headers \
    need-python
ifeq ($(ASKED_LAB),watch)
	@tools/labs/labs.py watch bughunt
else
	@SEED=$(call quoted,$(SEED)) STAGE=$(call quoted,$(STAGE)) \
	  LEVEL=$(call quoted,$(LEVEL)) SEEDS=$(call quoted,$(SEEDS)) \
	  NVCC='$(if $(CUDA),$(NVCC))' ARCH=$(ARCH) HERE=$(HERE) \
	  tools/bughunt/bughunt.py $(or $(ASKED_LAB),lay-out)
endif
