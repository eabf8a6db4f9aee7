# What programs that edit kernels are built from.
EDITING_SOURCES := $(wildcard tools/source/*.c) common/harness/program/reason.c
