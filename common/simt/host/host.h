#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stdint.h>

/* CUDA's runtime functions, which memory/ has in part, and a program with its
 * own main. */

/* The number of a stream in race.h. */
uint32_t stream_number(void *stream);

/* What the device says of itself, but for its multiprocessors; false where it
 * has no such attribute. */
bool device_attribute(int *value, int attribute);

#endif
