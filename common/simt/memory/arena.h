#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The range of addresses that cudaMalloc hands out; zeros before the first. */
extern uintptr_t arena_low, arena_size;
/* All allocations until now lie within so many bytes of it. */
extern uintptr_t arena_high;

/* True where `size` bytes at an address of the range are allocated; `size` is
 * at most the distance to the next multiple of 256. */
bool arena_allows(uintptr_t address, uint32_t size);

/* True where they lie in one allocation, or size is 0. Takes a lock. */
bool arena_contains(const void *address, size_t size);

#endif
