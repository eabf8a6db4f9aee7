#ifndef INPUTS_H
#define INPUTS_H

#include <stdint.h>

#include "tests/arithmetic/products.h"

/* Inputs that are drawn so that they lie where sums of tensor cores go wrong.
 * The same bits on every machine: no float is computed. The order is that of
 * compare.py. */
typedef enum {
  RANDOM,     /* any code; in every other row, exponents near each other */
  CANCELLING, /* most products stand beside their negatives */
  ONE_HUGE,   /* one product that dwarfs the others, at any place */
  SUBNORMAL,
  CHAIN,   /* 64 instructions, all products positive */
  C_ZERO,  /* the like with C of these sizes beside the products' */
  C_SMALL,
  C_LARGE,
  ZEROS,   /* of both signs, with few other numbers */
  SPECIAL, /* with NaNs and infinities, which E4M3 has not */
  CLASSES
} input_class;

enum { BLOCKS = 8, OUTPUTS = BLOCKS * TILE * TILE /* of each run */ };

/* How many instructions follow each other. */
int class_steps(input_class c);

/* Fills what products.h says. Codes or halves, as the instruction takes. */
void inputs_fill(input_class c, instruction i, uint8_t *a, uint8_t *b,
                 uint32_t *sum);

#endif
