#ifndef HOST_H
#define HOST_H

#include <stdint.h>

/* CUDA's runtime functions, which memory/ has in part, and a program with its
 * own main. */

/* The number of a stream in race.h. */
uint32_t stream_number(void *stream);

#endif
