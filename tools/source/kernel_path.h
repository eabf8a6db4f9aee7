#ifndef TOOLS_KERNEL_PATH_H
#define TOOLS_KERNEL_PATH_H

#include <stddef.h>

/* The path of a stage's kernel.cu, from the root of the tree. */
void kernel_path(char *path, size_t size, const char *stage);

#endif
