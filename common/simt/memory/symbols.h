#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>

/* The program's symbols: which __shared__ variables there are, where they
 * lie, and which kernel declares them. Read once. */

/* Calls visit(name, offset, size, context) for each thread-local variable. */
void symbols_for_each_shared(void (*visit)(const char *name, size_t offset,
                                           size_t size, void *context),
                             void *context);

/* "tile_k + 128" for the byte at `offset` of shared memory. */
void symbol_of_shared(size_t offset, char *text, size_t text_size);

/* Bytes of static shared memory that a kernel declares in its own body. */
size_t symbol_static_shared(const void *kernel);

#endif
