#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* Counter-based: number `index` of stream `stream` depends on nothing else, so
 * threads may fill an array in any order. Mixing as in splitmix64 (Steele, Lea
 * and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195). */
uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* N(0, 1) by the Box-Muller transform. */
float random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#endif
