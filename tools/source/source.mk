# What programs that edit kernels are built from.
SOURCE_LIBRARY := $(wildcard tools/source/*.[ch])
