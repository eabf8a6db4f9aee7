#ifndef LIBRARY_TENSORS_H
#define LIBRARY_TENSORS_H

#include "libfp8attention/fp8attention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A problem in "device" memory, which on the executor the host sees, too. The
 * tensors lie in memory as `layout` says; between their rows are codes that are
 * NaN, and in o a guard. */
typedef enum {
  CONTIGUOUS,
  SEQUENCE_FIRST, /* [batch][seq_len][heads][head_dim] */
  PADDED_ROWS,
  PADDED_HEADS,
  PADDED_BATCHES,
  MIXED,  /* k as SEQUENCE_FIRST, the others as PADDED_ROWS */
  PACKED, /* q, k, v in one tensor [batch][seq_len][3][heads][head_dim] */
  LAYOUTS
} layout;

typedef struct {
  fp8attention_problem problem;
  uint8_t *codes[3];
  uint16_t *o;
  float *scales[3];
  size_t codes_size[3], o_size; /* elements of each allocation */
} tensors;

enum { GUARD = 0xa5a5, NOT_A_NUMBER = 0x7f };

/* "Device" memory, each byte of this value. */
void *memory(size_t size, int value);
/* How far a row is from a tensor's first element. */
int64_t place(const fp8attention_strides *s, int64_t b, int64_t h, int64_t row);

/* The sizes of `shape` and the codes that belong to it, always the same; small
 * ones, so that many keys have a share in each row. */
tensors make_tensors(fp8attention_problem shape, layout layout);
void free_tensors(tensors *t);

/* Rows of k and v. */
int64_t keys_of(const fp8attention_problem *p);

/* An element of o in this row of all batches and heads. */
uint16_t output_at(const tensors *t, size_t row, int64_t d);
/* How many elements of the allocation are still the guard. */
size_t guards_left(const tensors *t);

#endif
