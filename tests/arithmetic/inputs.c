#include "tests/arithmetic/inputs.h"

#include <stdbool.h>
#include <string.h>

#include "common/harness/numbers.h"

int class_steps(input_class c) {
  return c == CHAIN ? 64 : c == RANDOM ? 4 : 2;
}

enum { SEED = 21 };

/* Of one class and instruction: a number for each place. */
typedef struct {
  uint64_t stream;
  bool halves;
} draw;

static uint64_t bits_at(const draw *d, uint64_t index) {
  return random_bits(SEED, d->stream, index);
}

/* A number whose exponent field lies in these bounds, 0: subnormals. */
static uint16_t number(const draw *d, uint64_t bits, unsigned low,
                       unsigned high, bool positive) {
  const unsigned exponent = low + (unsigned)(bits >> 32) % (high - low + 1);
  const unsigned width = d->halves ? 10 : 3;
  unsigned mantissa = (unsigned)(bits >> 8) & ((1u << width) - 1);
  if (!d->halves && exponent == 15 && mantissa == 7) mantissa = 6; /* no NaN */
  const unsigned sign = positive ? 0 : (unsigned)bits & 1;
  return (uint16_t)(sign << (d->halves ? 15 : 7) | exponent << width |
                    mantissa);
}

static uint16_t near(const draw *d, uint64_t bits) {
  return d->halves ? number(d, bits, 12, 18, false)
                   : number(d, bits, 5, 10, false);
}

static uint16_t sign_of(const draw *d) { return d->halves ? 0x8000 : 0x80; }

/* Element k of a row, of A or of B; `step` numbers blocks and steps. */
static uint16_t element(const draw *d, input_class c, bool of_b, uint64_t step,
                        unsigned row, unsigned k) {
  const unsigned depth = d->halves ? 16 : 32, top = d->halves ? 30 : 15;
  const uint64_t bits =
      bits_at(d, ((step * 2 + of_b) * TILE + row) * depth + k);
  const unsigned rare = (unsigned)(bits >> 56);
  switch (c) {
  case RANDOM:
    return row % 2 ? near(d, bits) : number(d, bits, 0, top, false);
  case CANCELLING: {
    /* Beside each other, or half of an instruction apart. */
    const unsigned apart = step % 2 ? depth / 2 : 2, first = k & ~apart;
    if (rare < 32) return near(d, bits);
    const uint16_t twin =
        near(d, bits_at(d, ((step * 2 + of_b) * TILE + row) * depth + first));
    return k != first && !of_b ? twin ^ sign_of(d) : twin;
  }
  case ONE_HUGE: {
    const unsigned place = (unsigned)(bits_at(d, UINT64_MAX - step) % depth);
    if (k == place) return number(d, bits, top * 2 / 3, top, false);
    return number(d, bits, 0, top / 2, false);
  }
  case SUBNORMAL:
    /* Few, and none of them normal: their labels are the largest. */
    if (row % 2 && !of_b) return rare < 32 ? number(d, bits, 0, 0, false) : 0;
    return number(d, bits, 0, 1, false);
  case CHAIN:
    return d->halves ? number(d, bits, of_b ? 16 : 10, of_b ? 17 : 15, true)
                     : number(d, bits, of_b ? 8 : 4, of_b ? 9 : 15, true);
  case ZEROS:
    return rare < 32 ? near(d, bits) : bits & 1 ? sign_of(d) : 0;
  case SPECIAL:
    if (rare < 2) return d->halves ? 0x7e01 : 0xff;
    if (rare < 4 && d->halves) return bits & 1 ? 0x7c00 : 0xfc00;
    return near(d, bits);
  default: return near(d, bits);
  }
}

/* A float whose exponent lies in these bounds. */
static uint32_t a_float(uint64_t bits, int low, int high) {
  const uint32_t exponent =
      (uint32_t)(127 + low + (int)((uint32_t)(bits >> 40) %
                                   (uint32_t)(high - low + 1)));
  return ((uint32_t)bits & 0x807fffff) | exponent << 23;
}

static uint32_t element_of_c(const draw *d, input_class c, uint64_t place) {
  const uint64_t bits = bits_at(d, (UINT64_C(1) << 40) + place);
  const unsigned rare = (unsigned)(bits >> 56);
  switch (c) {
  case RANDOM: return a_float(bits, -12, 16);
  case CANCELLING: return rare < 128 ? 0 : a_float(bits, -20, 4);
  case ONE_HUGE: return a_float(bits, -20, 20);
  case SUBNORMAL:
    return rare < 64 ? 0 : d->halves ? a_float(bits, -60, -26)
                                     : a_float(bits, -30, -12);
  case C_SMALL: return a_float(bits, -40, -10);
  case C_LARGE: return a_float(bits, 10, 40);
  case ZEROS:
    return rare < 64 ? a_float(bits, -60, 20) : (uint32_t)bits & 0x80000000;
  case SPECIAL:
    if (rare < 8) return 0x7fc00001;
    if (rare < 16) return bits & 1 ? 0x7f800000 : 0xff800000;
    return a_float(bits, -10, 10);
  default: return 0;
  }
}

void inputs_fill(input_class c, instruction i, uint8_t *a, uint8_t *b,
                 uint32_t *sum) {
  const draw d = {.stream = (uint64_t)c * 2 + (i == MMA_HALVES),
                  .halves = i == MMA_HALVES};
  const unsigned depth = d.halves ? 16 : 32, size = d.halves ? 2 : 1;
  const uint64_t all = (uint64_t)BLOCKS * (uint64_t)class_steps(c);
  for (uint64_t step = 0; step < all; step++)
    for (unsigned row = 0; row < TILE; row++)
      for (unsigned k = 0; k < depth; k++) {
        const uint64_t at = (step * TILE + row) * ROW_BYTES + k * size;
        const uint16_t x = element(&d, c, false, step, row, k);
        const uint16_t y = element(&d, c, true, step, row, k);
        memcpy(&a[at], &x, size); /* little-endian, as GPUs are */
        memcpy(&b[at], &y, size);
      }
  for (uint64_t place = 0; place < OUTPUTS; place++)
    sum[place] = element_of_c(&d, c, place);
}
