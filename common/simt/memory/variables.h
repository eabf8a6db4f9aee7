#ifndef VARIABLES_H
#define VARIABLES_H

#include <stdint.h>

/* Where the program's variables lie: those of a kernel's that are __device__
 * are global memory. */

extern char __data_start, end; /* the linker's */

static inline uintptr_t variables_low(void) {
  return (uintptr_t)&__data_start & ~(uintptr_t)15;
}

static inline uintptr_t variables_size(void) {
  return (uintptr_t)&end - variables_low();
}

#endif
