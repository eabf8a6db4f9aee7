# libfp8attention: the last stage of the ladder behind a header in plain C. It
# is for one architecture, whatever ARCH says, and exports what that header
# declares.

# The stage whose kernel it is, and with it the example's and the tests'.
LIBRARY_STAGE := stage17_promotion
LIBRARY_SOURCE := $(call kernels_of,$(LIBRARY_STAGE))
LIBRARY_KERNEL := -DLIBRARY_KERNEL='"$(LIBRARY_SOURCE)"'
LIBRARY_FOLDER := $(BUILD)/gpu/libfp8attention
LIBRARY := $(LIBRARY_FOLDER)/libfp8attention.so

.PHONY: library example path
library: $(LIBRARY)
	@echo "The library is $(LIBRARY), its header libfp8attention/fp8attention.h."

$(LIBRARY_FOLDER)/kernels.o: libfp8attention/kernels.cu $(TOOLCHAIN) | need-nvcc
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,90a) $(LIBRARY_KERNEL) \
	  -MMD -MP -c -o $@ $<

$(LIBRARY_FOLDER)/quantise.k.o: libfp8attention/quantise.cu $(TOOLCHAIN) \
    | need-nvcc
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,90a) -MMD -MP -c -o $@ $<

$(LIBRARY_FOLDER)/%.o: libfp8attention/%.c $(TOOLCHAIN) | need-headers
	@mkdir -p $(@D)
	$(call say)
	$(SHOW)$(CC) $(CFLAGS) -c -o $@ $<

LIBRARY_C := $(patsubst libfp8attention/%.c,%.o,$(wildcard \
  libfp8attention/*.c))
$(LIBRARY): $(addprefix $(LIBRARY_FOLDER)/,kernels.o quantise.k.o $(LIBRARY_C)) \
    libfp8attention/exports.map
	$(call say)
	$(SHOW)$(CXX) -shared -Wl,-Bsymbolic,--no-undefined \
	  -Wl,--version-script=libfp8attention/exports.map -o $@ $(filter %.o,$^) \
	  -L$(CUDA)/lib64 -lcudart_static -lpthread -ldl -lrt

# Where there is no nvcc, the example says what it lacks. JSON is a folder.
example path: $(if $(CUDA),$(LIBRARY))
	@$(if $(JSON),mkdir -p $(call quoted,$(JSON)))
	@python=.deps/peers/bin/python; [ -x $$python ] || python=python3; \
	  exec tools/make/alone.sh $$python libfp8attention/$@.py $(LIBRARY) $(if $(JSON),\
	  $(call quoted,$(JSON)/$@.json) $(LIBRARY_STAGE) \
	  "$$(tools/results/kernel-hash.sh $(LIBRARY_STAGE))")
