#include "common/harness/problem/random.h"

#include <math.h>

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
  const uint64_t golden = 0x9E3779B97F4A7C15u;
  const uint64_t start = mix(mix((seed + 1) * golden) + stream * golden);
  return mix(start + (index + 1) * golden);
}

float random_normal(uint64_t seed, uint64_t stream, uint64_t index) {
  const uint64_t bits = random_bits(seed, stream, index);
  const double two_pi = 6.283185307179586;
  /* Two uniform numbers of 32 bits each; the first is never zero. */
  const double u = ((double)(bits >> 32) + 0.5) / 4294967296.0;
  const double w = (double)(bits & 0xFFFFFFFFu) / 4294967296.0;
  return (float)(sqrt(-2.0 * log(u)) * cos(two_pi * w));
}
