# This stage is of another kind than those of the ladder: a program for several
# ranks, around libfp8attention and a kernel that merges. That it has this file
# is what says so (tools/source/facts.py).

RING := stage18_ring
RING_FOLDER := further/$(RING)
RING_SOURCES := $(wildcard $(addprefix $(RING_FOLDER)/,*.c ring/*.c ranks/*.c))
RING_BUILT_FROM := $(sort $(wildcard $(RING_FOLDER)/*.[ch]* \
  $(RING_FOLDER)/*/*.[ch] libfp8attention/*.[ch]*))
# Other compilers behind mpicc: OpenMPI's and MPICH's names for the same.
MPICC := OMPI_CC=$(CC) MPICH_CC=$(CC) mpicc
MPI_LINK := OMPI_CC=$(CXX) MPICH_CC=$(CXX) mpicc
# NCCL's folder, with include and lib; empty where it is the system's own.
NCCL = $(shell tools/setup/nccl-home.sh)
NCCL_INCLUDE = $(if $(NCCL),-isystem $(NCCL)/include)

.PHONY: need-mpi need-nccl
need-mpi:
	@command -v mpicc >/dev/null && command -v mpirun >/dev/null || { echo \
	  "$(RING) needs MPI (mpicc and mpirun): 'tools/setup/setup.sh cluster'\
	 installs it." >&2; exit 3; }
need-nccl:
	@tools/setup/nccl-home.sh >/dev/null

# ring_objects TARGET, whose own sources are in a folder of that name
ring_objects = $(patsubst $(RING_FOLDER)/%.c,$(BUILD)/$1/$(RING)/objects/%.o,\
  $(RING_SOURCES) $(wildcard $(RING_FOLDER)/$1/*.c))

define ring_rule
$(BUILD)/$1/$(RING)/objects/%.o: $(RING_FOLDER)/%.c $(TOOLCHAIN) \
    | need-headers need-mpi $(if $(filter gpu,$1),need-nccl)
	$$(building)$(MPICC) $(CFLAGS) $(if $(filter gpu,$1),$$(NCCL_INCLUDE)) \
	  $$(ring_says_$$(*F)) -c -o $$@ $$<
$(BUILD)/$1/$(RING)/objects/driver.o: $(RING_BUILT_FROM)
endef
$(foreach t,gpu cpu,$(eval $(call ring_rule,$t)))
# Ranks of different builds must notice.
ring_says_driver = -DRING_BUILD="\"$$(cat $(RING_BUILT_FROM) | sha256sum | \
  cut -c 1-12)\""

ring_says_bench = -DRING_KERNEL="\"$$(tools/results/kernel_hash.py \
  $(RING))\"" -DRING_LIBRARY_KERNEL="\"$$(tools/results/kernel_hash.py \
  libfp8attention)\""
$(BUILD)/gpu/$(RING)/objects/gpu/bench.o: $(RING_FOLDER)/kernel.cu \
  $(wildcard libfp8attention/*.cu)

# The library on the executor, plain and instrumented.
define ring_library
$(BUILD)/$1/$(RING)/library/%.k.o: libfp8attention/%.cu $(TOOLCHAIN) \
    | $(SIMT_HEADERS) need-headers
	$$(building)$(CXX) $$(SIMT_CXXFLAGS_$2) -MMD -MP -c -o $$@ $$<
endef
$(eval $(call ring_library,cpu,PLAIN))
$(eval $(call ring_library,instrumented,INSTRUMENTED))
ring_kernels = $(addprefix $(BUILD)/$1/$(RING)/library/,kernel.k.o no_keys.k.o)
# C is compiled the same way for both targets.
RING_LIBRARY := $(addprefix $(LIBRARY_FOLDER)/,forward.o strides.o device.o)

# ring_program TARGET,FOLDER,PARTS: a program of ranks; all but PARTS is alike.
define ring_program
$(BUILD)/$1/$2/program: $3 $(RING_LIBRARY) \
    $(call ring_kernels,$1) \
    $(filter-out %/stage.o,$(CPU_HARNESS)) \
    $(SIMT_OBJECTS) | need-mpi
	$$(building)$(MPI_LINK) -o $$@ $$^ $(SIMT_LDFLAGS) $(LIBRARIES)
endef
$(foreach t,cpu instrumented,$(eval $(call ring_program,$t,$(RING),$(call \
  ring_objects,cpu) $(BUILD)/$t/$(RING)/default/kernel.o)))

# The library's own objects are for compute capability 9.0; NCCL is found where
# it was when this was built.
$(BUILD)/gpu/$(RING)/program: $(call ring_objects,gpu) \
    $(BUILD)/gpu/$(RING)/default/kernel.o \
    $(addprefix $(LIBRARY_FOLDER)/,kernel.k.o no_keys.k.o) $(RING_LIBRARY) \
    $(filter-out %/stage.o,$(GPU_HARNESS)) \
    | need-mpi need-nccl
	$(building)$(MPI_LINK) -o $@ $^ \
	  -L$(CUDA)/lib64 -lcudart_static \
	  $(if $(NCCL),$(NCCL)/lib/libnccl.so.2 -Wl$(comma)-rpath$(comma)$(NCCL)/lib,\
	  -lnccl) $(LIBRARIES)
