# libfp8attention: the last stage of the ladder behind a header in plain C. It
# is for one architecture, whatever ARCH says, and exports what that header
# declares.

# The stage that kernel.cu began as.
LIBRARY_STAGE := stage17_promotion
LIBRARY_FOLDER := $(BUILD)/gpu/libfp8attention
LIBRARY := $(LIBRARY_FOLDER)/libfp8attention.so

$(LIBRARY_FOLDER)/%.k.o: libfp8attention/%.cu $(TOOLCHAIN) | need-nvcc
	$(building)$(NVCC_C) $(NVCC_FLAGS) $(call gencode,90a) -MMD -MP -c -o $@ $<

$(LIBRARY_FOLDER)/%.o: libfp8attention/%.c $(TOOLCHAIN) | need-headers
	$(building)$(CC) $(CFLAGS) -c -o $@ $<

LIBRARY_OBJECTS := $(patsubst libfp8attention/%.cu,%.k.o,$(wildcard \
  libfp8attention/*.cu)) $(patsubst libfp8attention/%.c,%.o,$(wildcard \
  libfp8attention/*.c))
$(LIBRARY): $(addprefix $(LIBRARY_FOLDER)/,$(LIBRARY_OBJECTS)) \
    libfp8attention/exports.map
	$(building)$(CXX) -shared -Wl,-Bsymbolic,--no-undefined \
	  -Wl,--version-script=libfp8attention/exports.map -o $@ $(filter %.o,$^) \
	  -L$(CUDA)/lib64 -lcudart_static -lpthread -ldl -lrt
